"""Plans of `generalise` and `suppress`: combinations of values, and how they are recoded."""
