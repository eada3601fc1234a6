"""Tables as typed columns with roles."""
