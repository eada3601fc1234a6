"""Masking a table as a command says: the release, the documents beside it, and what is printed."""
