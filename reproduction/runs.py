"""Computations that the papers share: z-scores of a table, groups, masked values and loss."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import datasets
from shoal.frame import tables
from shoal.geometry import zscore
from shoal.metrics import information_loss
from shoal.partitioners import partition
from shoal.steps.microaggregation.aggregates import group_mean

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

# Titles of the reference tables.
TITLES = {"tarragona": "Tarragona", "census": "Census", "eia": "EIA"}


@cache
def reference_table(name: str) -> Matrix:
    """Return the columns of a reference table that the literature uses, as z-scores."""
    frame = tables.open_frame(datasets.CATALOGUE[name].load(kind="pyarrow"))
    Z = zscore(tables.matrix(frame, datasets.COLUMNS[name]))
    Z.setflags(write=False)
    return Z


def group_labels(Z: Matrix, method: str, k: int, **options: Any) -> Labels:
    """Return the group of each record."""
    return partition(np.ascontiguousarray(Z), k, method, **options).labels


def group_means(Z: Matrix, labels: Labels) -> Matrix:
    """Return the table in which each record is replaced by the mean of its group."""
    return np.column_stack([group_mean(column, labels) for column in Z.T])


def sse(Z: Matrix, labels: Labels) -> float:
    """Return the sum of the squared distances of records to the means of their groups."""
    return float(((Z - group_means(Z, labels)) ** 2).sum())


def sst(Z: Matrix) -> float:
    """Return the sum of the squared distances of records to the mean of all records."""
    return float(((Z - Z.mean(axis=0)) ** 2).sum())


def loss(Z: Matrix, labels: Labels) -> float:
    """Return the information loss in per cent."""
    return float(information_loss(Z, group_means(Z, labels)))
