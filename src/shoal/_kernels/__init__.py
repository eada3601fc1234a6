"""Compiled loops over arrays, without options and frames.

They import no packages except numpy, numba, llvmlite and threadpoolctl. The kernels of a method are
in the file or folder of its name or, where methods share them, in one named after what it computes:
`mdav` also serves MDAV1, MDAVClassic and CentroidMDAV, and `shortest_path` serves MHM and
Univariate. The imports in `shoal.partitioners` show which. Papers are cited by author and year; the
class or function that calls the kernels has the full reference.

The kernels share these conventions:

- ``X`` has a row for each of the ``n`` records and a column for each of the ``p`` axes, in float64;
  ``k`` is the minimum size of a group.
- A state that several kernels change is a named tuple of arrays, made by a function such as
  ``open_...`` or ``build_...``, usually in Python. The comment behind a field is its shape. A
  number that kernels change is an array too: ``index.size[0]``.
- Arrays about groups, records or boxes are indexed by their numbers: ``sizes[group]``. If one list
  has the items of all groups, ``items[start[group] : start[group + 1]]`` are the items of a group.
- A *remaining* record is one that has no group yet. ``NONE``, which is -1, stands for no record, no
  group or the end of a list.
- Distances are squared, and such a distance is called ``square``. ``near`` lists the nearest
  neighbours of a record, or the nearest groups, nearest first; ``difference`` is the difference of
  two values, and ``position`` is where an item is stored. Ties go to the lowest record, so that
  results can be reproduced.
- The cost of a change is the increase of the SSE, the sum of the squared distances of the records
  to the centroids of their groups.
- A function ``list_...`` writes into arrays that it is passed, or into the scratch space of a
  state, and returns how many entries it found, which may be more than there is space for;
  ``write_...`` fills arrays that it is passed, or arrays of a state. In a search for a minimum,
  ``least`` is the least value so far and ``best`` what attains it; ``max_...`` are limits,
  ``n_...`` are counts, and ``slot`` is the position in a list at which an item is inserted.
- A kernel with the parameter ``work`` ends after about that many distances or steps and returns
  whether to continue; Python calls it again, and handles progress and interrupts in between
  (`shoal.partitioners._base.run_in_strides`).
- Kernels that are called often take whole arrays and indices, since making a view of a row takes as
  long as the distance of two rows.
"""
