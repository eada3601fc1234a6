"""Swap values at random within groups of at least k records."""

from typing import Any

import numpy as np

from shoal.frame.replacement import RowGather
from shoal.frame.tables import Frame
from shoal.partitioners import Partition
from shoal.steps._within_groups import WithinGroups


class Swap(WithinGroups):
    """Swap the values of each column at random within groups of at least k records [SD12]_.

    Every column of every group is permuted independently, and all orders are equally likely.
    What is released of a group does not depend on which of its records had which values, so an
    attacker who knows all masked columns of a person finds the group but can only guess the
    record, with a probability of at most 1/k. This is probabilistic k-anonymity. It is not
    k-anonymity: records may be unique, and the original values are released, in other
    combinations.

    The distribution of every column stays exactly as it is; dependence between columns is kept
    between groups and lost within them. The guarantee fails if an attacker knows a column that
    the step does not mask, or a confidential value.

    Parameters
    ----------
    columns : list of str
        Columns to mask, of any kind and without missing values.
    partitioner : Partitioner
        Method that groups the records, with its k.
    within : list of str, optional
        Columns whose values split the records into strata; a single name is accepted.
    unit : str, optional
        Column whose values k counts, dropped from the release. Defaults to the column with the
        role ``unit`` or ``household``.
    standardise : {"zscore", "none"}, default="zscore"
        Scale of the columns in distances.
    random_state : int, Generator, RandomState or None
        Seed; if None, one is drawn and recorded in the plan of the release.

    References
    ----------
    .. [SD12] Soria-Comas, J. and Domingo-Ferrer, J. (2012). Probabilistic k-anonymity
       through microaggregation and data swapping. IEEE International Conference on
       Fuzzy Systems 2012, 1-8.
    """

    name = "swap"
    paper = "SD12"
    accepts_any_kind = True
    short_guarantee = "probabilistic k-anonymity"

    def _describe_guarantee(self, attack_clause: str) -> str:
        return (
            f"Values were swapped within groups of at least {self.partitioner.k}"
            f"{self._unit_phrase}: anyone who knows these columns of a person {attack_clause}"
            " (probabilistic k-anonymity). Records may be unique, and all original values are"
            " released."
        )

    def _mask_groups(
        self, frame: Frame, groups: Partition, rng: np.random.Generator
    ) -> dict[str, Any]:
        none_missing = np.zeros(len(frame), bool)
        by_group = np.argsort(groups.labels, kind="stable")
        values: dict[str, Any] = {}
        for name in self.columns:
            source = np.empty(len(frame), np.int64)
            source[by_group] = np.lexsort((rng.random(len(frame)), groups.labels))
            values[name] = RowGather(source, none_missing)
        return values
