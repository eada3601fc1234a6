"""Other categories for values: bands, levels of hierarchies, and transition matrices.

``categories`` reads and writes columns as categories, and ``bands`` divides numbers and dates for
`shoal.steps.Recode`. ``hierarchies`` reads the levels of a column. `shoal.steps.Generalise`
searches the ``lattice`` of all combinations of levels (``lattice_search``).
`shoal.steps.Microaggregate` may release the common ancestors of each group (``local_recoding``);
``local_search`` refines the groups so that these lose less. ``transitions`` are the matrices of
`shoal.steps.Pram`.
"""
