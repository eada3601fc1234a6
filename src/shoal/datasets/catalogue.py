"""The catalogue of tables."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.datasets import casc, example, synthetic

ROLES: dict[str, dict[str, str]] = {"sme": example.ROLES, "survey": synthetic.ROLES}


@dataclass(frozen=True)
class CatalogueEntry:
    """One table of the catalogue."""

    load: Callable[..., Any]
    rows: int
    columns: int
    line: str


def _reference_entry(name: str, load: Callable[..., Any], line: str) -> CatalogueEntry:
    reference = casc.REFERENCES[name]
    return CatalogueEntry(load, reference.rows, len(reference.columns), line)


CATALOGUE = {
    "census": _reference_entry("census", casc.census, "incomes and taxes of persons (CASC)"),
    "eia": _reference_entry("eia", casc.eia, "revenues and sales of electric utilities (CASC)"),
    "sme": CatalogueEntry(
        example.sme, example.ROWS, len(example.COLUMNS), "eleven companies, to follow by hand"
    ),
    "survey": CatalogueEntry(
        synthetic.survey, 1000, len(synthetic.ROLES), "a made-up survey of any length, seeded"
    ),
    "tarragona": _reference_entry("tarragona", casc.tarragona, "accounts of companies (CASC)"),
}


def names() -> list[str]:
    """Return the names of the tables.

    Returns
    -------
    list of str
        The names, in alphabetical order. ``CATALOGUE[name]`` has the function that loads a
        table (``load``), its ``rows`` and ``columns`` and one ``line`` about it.

    Examples
    --------
    >>> names()
    ['census', 'eia', 'sme', 'survey', 'tarragona']
    """
    return list(CATALOGUE)
