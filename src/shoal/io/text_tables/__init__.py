"""Text tables: CSV and similar files."""
