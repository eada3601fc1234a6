"""Trees of near records that are divided until none is too large."""
