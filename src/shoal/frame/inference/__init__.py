"""Kinds and missing codes of columns for which none are declared."""
