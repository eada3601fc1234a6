"""How numbers, dates and other values are written as text."""
