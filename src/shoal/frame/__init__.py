"""Tables of any library as typed columns with roles.

``tables`` gives access to tables, and ``columns`` reads a column as numbers, with the help of
``categories`` and ``dates``. ``codes`` and ``comparison`` find equal values, ``replacement`` puts
new values in their place, and ``hidden_values`` removes values that a column stores but does not
show. The packages are about the content of columns: ``types`` as users declare it, ``inference`` as
it is decided without a declaration, ``notation`` as it is written in text, and ``description`` as
it is summarised.
"""
