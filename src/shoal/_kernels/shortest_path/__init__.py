"""The cheapest cuts of an order of records, or of sorted values, into groups."""
