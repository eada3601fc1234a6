"""The job: what every task needs to know, in a file that all workers read."""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.types import Type
from shoal.plan.thresholds import Thresholds
from shoal.scale.encoders import Encoders
from shoal.scale.splitting.strata import Strata
from shoal.scale.storage.files import read_bytes
from shoal.scale.storage.scratch_files import write_file
from shoal.steps import Microaggregate
from shoal.steps.constraints.units import read_units

if TYPE_CHECKING:
    from shoal.scale.statistics.confidential_columns import ConfidentialColumn
    from shoal.scale.statistics.profile_counts import Grid


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseJob:
    """Which columns of a large table are released, and what is counted on them.

    Parameters
    ----------
    released_schema : pyarrow.Schema
        The released columns with their types.
    quasi_identifiers : list of str
        Columns that an attacker may know.
    confidential : list of str
        Confidential columns.
    n_shards : int
        Number of files of the release, before large ones are split.
    seed : int
        Seed of the samples.
    class_columns : list of str
        The columns for whose classes l-diversity and t-closeness are guaranteed.
    column_blocks : list of list of str
        The columns for whose classes k is guaranteed, block by block.
    unit : str, optional
        The column whose values k counts; None if it counts records.
    weight : str, optional
        The column of survey weights.
    confidential_columns : list of ConfidentialColumn
        The confidential columns with the codes and frequencies of their values, where they are
        known for the whole table.
    measures_diversity : bool
        Whether l-diversity is measured.
    measures_closeness : bool
        Whether t-closeness is measured; needs ``confidential_columns``.
    """

    released_schema: pa.Schema
    quasi_identifiers: Sequence[str]
    confidential: Sequence[str]
    n_shards: int
    seed: int
    class_columns: Sequence[str]
    column_blocks: Sequence[Sequence[str]]
    unit: str | None = None
    weight: str | None = None
    confidential_columns: "Sequence[ConfidentialColumn]" = ()
    measures_diversity: bool = False
    measures_closeness: bool = False

    @property
    def other_columns(self) -> list[str]:
        """Released columns that are neither quasi-identifiers, confidential nor weights."""
        columns_with_role = (*self.quasi_identifiers, *self.confidential, self.weight)
        return [name for name in self.released_schema.names if name not in columns_with_role]

    @property
    def columns(self) -> list[str]:
        """The columns to read: those that are released, the weights and the units."""
        unreleased = [name for name in (self.weight, self.unit) if name is not None]
        return list(dict.fromkeys([*self.released_schema.names, *unreleased]))


@dataclass(frozen=True, eq=False, kw_only=True)
class MicroaggregationJob(ReleaseJob):
    """What is done to the records of a large table, as decided after the first pass over it.

    Parameters
    ----------
    step : Microaggregate
        The step of the plan.
    encoders : Encoders
        The encoders of the columns that distances are computed on.
    strata : Strata
        The strata and their cells.
    required_columns : list of str
        Columns whose missing values drop a record.
    attack_share : float
        Share of the records that the linkage attack is tried on.
    thresholds : Thresholds
        Limits beyond which figures become findings.
    types : dict
        Declared types of columns.
    grids : dict
        The grid on which the values of each numeric column are counted.
    """

    step: Microaggregate
    encoders: Encoders
    strata: Strata
    required_columns: Sequence[str]
    attack_share: float
    thresholds: Thresholds
    types: Mapping[str, Type] = field(default_factory=dict)
    grids: "Mapping[str, Grid]" = field(default_factory=dict)


def read_job_units(job: ReleaseJob, table: pa.Table) -> NDArray[np.int64] | None:
    """Return the unit of each record, or None unless k counts units."""
    if job.unit is None:
        return None
    return read_units(tables.open_frame(table), job.unit)


def save_job(job: ReleaseJob, path: str) -> None:
    """Write a job to a file that workers read."""
    write_file(path, pickle.dumps(job))


@lru_cache(maxsize=1)
def load_job(path: str) -> Any:
    """Return the job in a file, which each worker reads only once."""
    return pickle.loads(read_bytes(path))
