"""Measures of utility: what masking loses, one file for each family."""
