"""Groups in which k counts units, such as persons, that may have several records.

- `groups` counts the records and the units of each group;
- `repair` changes groups until each has k units;
- `descent` moves and exchanges records while the SSE falls.
"""
