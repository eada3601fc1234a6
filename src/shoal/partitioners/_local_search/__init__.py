"""Local search: descent to a local optimum, and simulated annealing from there.

`refine` moves records and changes groups while the SSE falls; `search` accepts increases as well,
and finally selects the best partition into groups that it met, by set partitioning. The compiled
loops are in `shoal._kernels.local_search`.
"""
