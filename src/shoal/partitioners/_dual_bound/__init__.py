"""Lower bounds of the SSE for tables of any length, from duals that are feasible for all groups.

Dual values, one per record, are feasible if no group costs less than the sum of the duals of its
records; then no partition costs less than the sum of all duals. A group of more than k records is
covered evenly by its subsets of k, which cost less in total, so only groups of k need checking.

- `long_table` orders the records so that near ones follow each other, and lists their neighbours;
- `pair_duals` computes the first duals from pairs of near records;
- `block_ascent` raises the duals of a block while those of the records around it are fixed, and
  `group_pool` stores the groups that are known for a block;
- `corrections` lowers the duals until no group is violated, and `row_corrections` searches for the
  violated groups of given records, across blocks;
- `executor` runs the tasks of ascent and corrections: in threads, unless the caller gives another;
- `certificate` combines all steps. The result is a `Certificate`, which a verifier can check
  without this package.
"""
