"""Partitions and lower bounds on record, and a verifier that needs nothing but NumPy.

A cell is a reference table and a k. Its file in ``cells`` has the best known partition, and duals
that prove a lower bound of the loss of all partitions; `reproduction.records.record` describes the
format. ``python -m reproduction.records`` checks all files, or tries to beat one.
"""
