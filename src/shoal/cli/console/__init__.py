"""What commands print: results, verdicts, errors, progress, and the wording of options."""
