"""The file of a cell: the best known partition, and the proof of a lower bound.

A file is JSON with these fields. Losses, bounds and duals are in % of the total sum of squares of
the z-scores (each column less its mean, divided by its standard deviation with divisor n).

table, k
    The reference table and the minimum number of records in a group.
loss, bound
    The loss of the partition, and the lower bound that the duals prove. Both can be computed from
    the rest of the file and the table.
labels
    The group of each record.
duals
    One dual value per record.
triples, clusters
    Sets of records, counted from 0; see `reproduction.records.verifier`.
divisors
    The divisor of each cluster.
triple_duals, cluster_duals
    One dual value per set.
claimed
    A higher bound that an integer programme gave, which the verifier does not check; equal to
    ``bound`` if there is none.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reproduction.records.verifier import Certificate, Floats

FOLDER = Path(__file__).parent / "cells"
TABLES = ("tarragona", "census", "eia")
SIZES = (2, 3, 4, 5, 10)
CELLS = [f"{table}-{k}" for table in TABLES for k in SIZES]
DIGITS = 12  # significant digits of a dual


@dataclass(frozen=True)
class Record:
    """The contents of a file; the module describes its fields."""

    table: str
    k: int
    loss: float
    bound: float
    claimed: float
    labels: list[int]
    duals: list[float]
    triples: list[tuple[int, int, int]]
    triple_duals: list[float]
    clusters: list[list[int]]
    divisors: list[int]
    cluster_duals: list[float]

    @property
    def name(self) -> str:
        """The name of the cell: table and k."""
        return f"{self.table}-{self.k}"

    @property
    def certificate(self) -> Certificate:
        """The duals, as the verifier needs them."""
        return Certificate(
            np.array(self.duals),
            self.triples,
            self.triple_duals,
            self.clusters,
            self.divisors,
            self.cluster_duals,
        )


def scaled_table(table: str) -> Floats:
    """Return the z-scores of a reference table, scaled so that an SSE is a loss in %."""
    from shoal import datasets

    frame = datasets.CATALOGUE[table].load(kind="pyarrow").select(list(datasets.COLUMNS[table]))
    X = np.column_stack([column.to_numpy() for column in frame.columns]).astype(np.float64)
    Z: NDArray[np.float64] = (X - X.mean(axis=0)) / X.std(axis=0) * np.sqrt(100 / X.size)
    return np.ascontiguousarray(Z)


def recorded_cells(folder: Path = FOLDER) -> list[str]:
    """Return the names of the cells with a record."""
    return [name for name in CELLS if (folder / f"{name}.json").exists()]


def read(name: str, folder: Path = FOLDER) -> Record:
    """Return the record of a cell."""
    fields = json.loads((folder / f"{name}.json").read_text())
    fields["triples"] = [(a, b, c) for a, b, c in fields["triples"]]
    return Record(**fields)


def write(record: Record, folder: Path = FOLDER) -> None:
    """Write the record of a cell, a line per field."""
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in asdict(record).items()
    )
    folder.mkdir(exist_ok=True)
    (folder / f"{record.name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def round_digits(values: NDArray[np.float64]) -> list[float]:
    """Return values with fewer digits, which keeps files short."""
    return [float(f"{value:.{DIGITS}g}") for value in values]
