"""The modified Ward method.

- `extreme_groups` forms the two groups of the outermost records;
- `initial_groups` makes these and single records the groups to start from;
- `joins` joins groups until none has fewer than k records;
- `cost` computes what a join costs, rounded so that equal costs compare as equal;
- `group_boxes` puts boxes around near groups, so a search for partners skips far ones.
"""
