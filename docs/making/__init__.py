"""What makes the pages of the site that nobody writes by hand."""
