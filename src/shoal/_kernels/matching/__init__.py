"""Minimum-weight matching by Edmonds' algorithm, and the duals of a [1,2]-factor."""
