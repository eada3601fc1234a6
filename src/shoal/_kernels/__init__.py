"""Compiled loops over arrays, without options and frames: numpy, numba and threadpoolctl only.

The kernels of a method are in the file of its name, its parameters in `shoal.partitioners`. They
share these conventions:

- A state that several kernels change is a named tuple of arrays, made by a function such as
  ``open_...`` or ``build_...``, usually in Python. A number that kernels change is an array too:
  ``index.size[0]``.
- ``i`` and ``j`` are records, ``a``, ``b``, ``g`` and ``h`` groups, ``c`` is a column, ``m`` the
  position of a member within its group; ``X`` has a row for each of the ``n`` records, and ``k`` is
  the least size of a group. A loop over columns may use ``j`` if there is only one record. In
  `column_generation` and `dual_bound`, ``a`` and ``b`` are positions in a list of candidates or
  members; in `matching`, the vertices that an edge joins; in `spatial`, ``a`` is an axis, ``b`` a
  block and ``s`` a superblock.
- A *living* record is one that has no group yet. -1, under names such as ``NONE`` and ``END``,
  stands for no record, no group or the end of a list.
- ``near`` lists the nearest neighbours of a record, or the nearest groups, nearest first;
  ``squares`` are squared distances, and so are ``gaps``, the distances to one record. ``position``
  is where a record is stored. Ties go to the lowest record, so that results can be reproduced.
- A function ``list_...`` writes into arrays that it is passed, or into the scratch space of a
  state, and returns how many entries are valid; ``write_...`` fills one array. In a search for a
  minimum, ``least`` is the least value so far and ``best`` what attains it; ``max_...`` are limits,
  ``n_...`` are numbers, and ``slot`` is the position in a list at which an item is inserted.
- A kernel with the parameter ``work`` ends after about that many distances or steps and returns
  whether to continue; Python calls it again, and handles progress and interrupts in between
  (`shoal.partitioners._base.run_in_strides`).
"""
