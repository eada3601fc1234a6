"""Minimum-weight matching by Edmonds' algorithm, and the duals of a [1,2]-factor.

- `edmonds` matches every required vertex, by growing an `alternating_tree` from each;
- `blossom` contains the graph, the matching and its odd cycles;
- `factor_duals` finds the pairs of records at which the duals of a factor are not feasible.
"""
