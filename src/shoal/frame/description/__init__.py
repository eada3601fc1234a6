"""What columns hold, for reports and for the inspection of a table."""
