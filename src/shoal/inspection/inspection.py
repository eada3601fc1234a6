"""The class `Inspection`."""

import tomllib
from collections.abc import Sequence
from typing import Any

from shoal._text import count
from shoal.inspection.column_entry import ColumnEntry
from shoal.inspection.sentences import Sentence
from shoal.inspection.starter_plan import starter_plan
from shoal.inspection.text import CAVEAT, format_inspection
from shoal.plan import Plan


class Inspection:
    """The result of inspecting a table before it is masked.

    Parameters
    ----------
    source : str
        Name of the table.
    records : int
        Number of records.
    columns : list of dict
        For each column its name, label, type, kind and the reason, whether that kind was inferred,
        value labels, missing codes, numbers of missing and distinct values, share of records with a
        unique value (missing values are neither distinct nor unique), the suggested role with its
        reason, and for a quasi-identifier a suggested hierarchy, as keys of its type.
    combinations : list of dict
        Combinations of suggested quasi-identifiers, each with the share of records that are unique
        in them. A missing value counts as a value there.
    sentences : list of Sentence
        Further findings, each with a code, a text and the columns that it concerns.
    """

    def __init__(
        self,
        source: str,
        records: int,
        columns: Sequence[ColumnEntry],
        combinations: Sequence[dict[str, Any]],
        sentences: Sequence[Sentence],
    ):
        self.source = source
        self.records = records
        self.columns = list(columns)
        self.combinations = list(combinations)
        self.sentences = list(sentences)

    def __getitem__(self, name: str) -> ColumnEntry:
        for entry in self.columns:
            if entry["name"] == name:
                return entry
        raise KeyError(name)

    @property
    def roles(self) -> dict[str, str | None]:
        """The suggested role of each column, or None if nothing suggests one."""
        return {entry["name"]: entry["role"] for entry in self.columns}

    def plan(self, k: int) -> Plan:
        """Return a plan to start from, which masks the suggested quasi-identifiers.

        Parameters
        ----------
        k : int
            Minimum number of records in a class, or of units if a column of units is suggested.

        Returns
        -------
        Plan
            The plan that `starter_plan` writes as a document.
        """
        return Plan.from_dict(tomllib.loads(self.starter_plan(k)))

    def starter_plan(self, k: int | None = None) -> str:
        """Return the plan to start from as TOML, with the reasons as comments."""
        return starter_plan(self, k)

    def to_dict(self) -> dict[str, Any]:
        """Return the inspection as plain data."""
        return {
            "records": self.records,
            "columns": self.columns,
            "combinations": self.combinations,
            "sentences": [sentence._asdict() for sentence in self.sentences],
        }

    def __str__(self) -> str:
        return format_inspection(self)

    def __repr__(self) -> str:
        n_records, n_columns = count(self.records, "record"), count(len(self.columns), "column")
        return f"Inspection({self.source!r}, {n_records}, {n_columns})"

    def _repr_html_(self) -> str:
        from shoal.report.notebook import inspection_html  # see docs/architecture.md

        return inspection_html(self, CAVEAT)
