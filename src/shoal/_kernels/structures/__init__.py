"""Data structures that several methods share: a heap, a tournament, a union-find forest."""
