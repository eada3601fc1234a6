"""Masking a table from the options of a command: release, documents beside it, printed result."""
