"""Tables to try, test and compare methods on.

`sme` is the running example of a paper and `survey` a synthetic table of any length.
`tarragona`, `census` and `eia` are the reference tables of the literature; ``COLUMNS``
lists those of their columns that the literature uses. ``ROLES`` has the role of each
column of `sme` and `survey`, and ``CATALOGUE`` has every table with its size.
"""

from shoal.datasets.casc import COLUMNS, census, eia, tarragona
from shoal.datasets.catalogue import CATALOGUE, ROLES, names
from shoal.datasets.example import sme
from shoal.datasets.synthetic import survey

__all__ = [
    "CATALOGUE",
    "COLUMNS",
    "ROLES",
    "census",
    "eia",
    "names",
    "sme",
    "survey",
    "tarragona",
]
