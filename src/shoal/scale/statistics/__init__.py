"""Sums, counts and samples of the parts of a table that are merged in any order."""
