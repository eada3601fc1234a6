"""Groups of records whose values are released as common ancestors and ranges.

- `groups` stores the groups and computes their loss;
- `local_search` improves them while every group keeps k units.
"""
