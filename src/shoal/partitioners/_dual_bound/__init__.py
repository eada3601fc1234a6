"""Lower bounds of the SSE for tables of any length, from duals that are feasible for all groups.

A dual value per record is feasible if no group costs less than the sum of the duals of its
records; then no partition costs less than the sum of all duals. A group of more than k records is
covered evenly by its subsets of k, which cost less in total, so groups of k records decide. Pairs
of near records give the first duals (`pair_duals`). Others are raised block by block, with the
records around a block held fixed (`block_ascent`); then each record's dual is lowered until no
group is violated, by a search across blocks (`corrections`). Threads, or an `Executor` of the
caller, do the work of both. The result is a `Certificate`, which a verifier can check without this
package.
"""
