"""What columns hold if nothing is declared: their kinds and missing codes."""
