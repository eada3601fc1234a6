"""Trees of near records that are divided until none is too large.

`forest` grows the trees, and `decompose` divides them.
"""
