"""The cheapest cuts of records in an order, or of sorted values."""
