"""Constraints on groups and classes besides k records: units, strata and confidential values.

``units`` and ``households`` are what k may count instead of records, and no group crosses
``strata``. ``privacy_constraint`` is l-diversity and t-closeness. ``homogeneity`` finds and merges
groups whose records all share a confidential value; ``homogeneity_noise`` makes such values differ.
"""
