"""Summaries of columns, for reports and for the inspection of a table."""
