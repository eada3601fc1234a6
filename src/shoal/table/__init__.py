"""A file becomes columns with roles."""
