"""Measures of disclosure risk, one file for each family."""
