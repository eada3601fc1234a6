"""Measures, guarantees and verdict of a release, from counts on its blocks and files."""
