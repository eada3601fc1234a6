"""Partitions and lower bounds on record, and a verifier that needs nothing but NumPy."""
