"""Data structures that several methods share: heaps, lists, a tournament, a union-find forest."""
