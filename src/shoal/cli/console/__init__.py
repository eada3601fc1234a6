"""What commands print: results, verdicts, errors and progress."""
