"""Local suppression: which cells to suppress so that every class holds at least k.

The records are reduced to their distinct rows. The *pattern* of a record is the set of columns
without a value in the release, because their cells were missing or are suppressed. Two records are
in the same class if they have the same pattern and agree in all other columns. A *piece* consists
of records of one distinct row with the same pattern.

`shoal.steps.Suppress` calls ``minimise``. ``problem`` is the table to protect, and ``assignment``
gives patterns to its rows. ``bound`` proves lower bounds of the weight. ``greedy`` and
``shortfall`` find an assignment, ``local_search`` improves it, and ``exact`` solves an integer
``programme`` for the least weight.
"""
