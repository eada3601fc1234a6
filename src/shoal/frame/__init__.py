"""A table becomes typed columns with roles."""
