"""The loops of column generation: pricing, separation of cuts, and ascent of the duals.

Pricing generates groups of negative reduced cost, each at its *anchor*, by branch and bound:

- `candidate_list` defines reduced costs, and lists the records that may join an anchor;
- `candidate_set` adds the costs of pairs of candidates, and their triples and clusters;
- `group_search` searches for groups, with bounds in which `cluster_floors` includes clusters;
- `cheapest_groups` stores the groups that the searches find.

`cluster_separation` grows the clusters whose cuts a fractional solution violates,
`cut_coefficients` lists the coefficients of groups in cuts, and `dual_ascent` raises the duals over
known groups. `shoal.partitioners._column_generation` explains how these work together.
"""
