"""Reading and writing of files and databases.

``files`` reads and writes a table in the format of its suffix. A ``Source`` is a table with the
``metadata`` of its file; a ``target`` is written under another name and published at the end by
``publish``. The packages are ``formats``, one module for each, ``text_tables`` and ``database``.
"""
