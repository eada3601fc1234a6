"""Values change places inside groups of at least k."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from shoal._params import RandomState
from shoal.frame.tables import Frame, RowGather
from shoal.partitioners import Partition, Partitioner
from shoal.steps._grouped import Grouped
from shoal.steps._step import named


class Swap(Grouped):
    """Let the values of each column change places inside groups of at least k [SD12]_.

    In every group and for every column by itself the values are dealt out anew,
    all orders being equally likely. What is released of a group does not depend on
    which of its records had which values, so whoever knows all masked columns of a
    person finds the group and in it, by chance alone, the right record: 1 in k at
    most. That is probabilistic k-anonymity. It is not k-anonymity: records may be
    unique, and the original values are released, each beside others than its own.

    The distribution of every column stays exactly as it is; dependence between
    columns is kept between groups and lost inside them. The promise fails if a
    column that attackers know is left out of the step, or if they know a
    confidential value.

    Parameters
    ----------
    columns : list of str
        Columns to mask, of any kind and without missing values.
    partition : Partitioner
        How records are grouped, with its k.
    within : list of str, optional
        Columns whose values split the records into strata; one name may stand
        alone.
    unit : str, optional
        Column whose values k counts; by itself the column with the role ``unit`` or
        ``household``. It is dropped.
    standardise : str
        ``"zscore"`` or ``"none"``, for the distances.
    random_state : int, Generator, RandomState or None
        Seed of the draws; where None, one is drawn and noted in the release's plan.

    References
    ----------
    .. [SD12] Soria-Comas, J. and Domingo-Ferrer, J. (2012). Probabilistic k-anonymity
       through microaggregation and data swapping. IEEE International Conference on
       Fuzzy Systems 2012, 1-8.
    """

    name = "swap"
    paper = "SD12"
    of_any_kind = True
    promises = "probabilistic k-anonymity"

    def __init__(
        self,
        columns: Sequence[str],
        partition: Partitioner,
        *,
        within: str | Sequence[str] | None = None,
        unit: str | None = None,
        standardise: Literal["zscore", "none"] = "zscore",
        random_state: RandomState = None,
    ):
        self.columns = named(columns)
        self.partition = partition
        self.within = within
        self.unit = unit
        self.standardise = standardise
        self.random_state = random_state
        self._settle()

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        k = self.partition.k
        return (
            f"Values changed places inside groups of at least {k}{self._units}: who knows these"
            f" columns of a person picks the right record with a chance of at most 1 in {k}"
            " (probabilistic k-anonymity). Records may be unique, and all original values are"
            " released."
        )

    def _inside(self, frame: Frame, groups: Partition, rng: np.random.Generator) -> dict[str, Any]:
        no_hole = np.zeros(len(frame), bool)
        members = np.argsort(groups.labels, kind="stable")
        values: dict[str, Any] = {}
        for name in self.columns:
            source = np.empty(len(frame), np.int64)
            source[members] = np.lexsort((rng.random(len(frame)), groups.labels))
            values[name] = RowGather(source, no_hole)
        return values
