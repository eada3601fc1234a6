"""Verify a released folder, file by file."""
