"""Generators of the pages of the site that are not written by hand."""
