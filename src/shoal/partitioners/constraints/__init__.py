"""Groups that satisfy constraints besides their number of records.

`units` forms groups of at least k units, such as persons or households; `merge` merges groups that
fail a test, such as l-diversity, with their neighbours; `exchange` exchanges records between groups
until the groups are t-close.
"""
