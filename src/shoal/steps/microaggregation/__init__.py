"""How `shoal.steps.Microaggregate` works: coordinates, groups, released values and warnings.

``checks`` refuses options that do not fit together. ``distance_space`` turns columns into
coordinates. ``grouping`` forms groups stratum by stratum and, with missing values, by
``missing_patterns``. ``group_values`` computes what is released of a group, from its ``centroid``
and other ``aggregates``. ``group_loss`` measures the information that this loses. Users read the
sentences of ``guarantee_sentences`` and ``column_warnings``.
"""
