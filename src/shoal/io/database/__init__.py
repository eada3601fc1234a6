"""Tables of databases, read and written through SQLAlchemy."""
