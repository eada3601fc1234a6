"""Column generation, the engine behind `Prove` and `Optimal`.

A partition is a solution of a *set partitioning problem*: each group of k to 2k - 1 records is a
column, which costs its SSE; each record is a row, which one of the selected columns has to cover.
There are too many columns to write down, so the *restricted master problem* has those generated so
far, and pricing generates others [LD05]_, as [AHRS14]_ do for microaggregation:

- `columns` contains the groups generated so far, and the sets of records that define cuts;
- `master_problem` solves the linear relaxation over these groups, which gives dual values, or the
  integer programme;
- `pricing` finds groups of negative reduced cost, and computes the lower bound that the dual values
  prove; `anchor_search` runs its searches, and `larger_groups` says which sizes need one;
- `separation` finds the subset-row cuts that a fractional solution violates;
- `proof` repeats these steps until neither groups nor cuts raise the bound;
- `integrality_gap` enumerates the groups whose reduced cost is below the gap between partition and
  bound, and closes the gap by an integer programme;
- `column_pool` selects better partitions from the groups generated so far, and `restarts` adds
  the groups of further local searches;
- `prove` runs all of this within a budget.

References
----------
.. [LD05] Lübbecke, M. E. and Desrosiers, J. (2005). Selected topics in column generation.
   Operations Research 53(6), 1007-1023.

.. [AHRS14] Aloise, D., Hansen, P., Rocha, C. and Santi, É. (2014). Column generation bounds for
   numerical microaggregation. Journal of Global Optimization 60(2), 165-182.
"""
