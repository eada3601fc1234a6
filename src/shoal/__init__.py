"""Shoal hides each record of a table in a group of at least k."""

__version__ = "0.1.0"
