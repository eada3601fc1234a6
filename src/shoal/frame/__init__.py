"""Tables of any library as typed columns with roles."""
