"""The modified Ward method: initial groups and joins of groups."""
