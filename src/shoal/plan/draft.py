"""The class `Draft`: a release before its verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.plan.evidence import Evidence
from shoal.plan.release import Release
from shoal.plan.verdict import Finding, Verdict
from shoal.plan.warnings import warn

if TYPE_CHECKING:
    from shoal.plan.analysed_columns import AnalysedColumns


@dataclass(frozen=True, eq=False)
class Draft:
    """A release before its verdict.

    A release in memory is judged as it is. A release that is written to a file is judged as read
    back from the file. Either is judged once.

    Parameters
    ----------
    evidence : Evidence
        The input of the verdict, with the plan, the groups and the measures of the release.
    data : pandas, polars or pyarrow table
        The masked table, of the same kind as the input.
    remarks : mapping of str to str
        Columns that a measure could not use and why, by the name of the measure.
    unchanged : tuple of str
        Columns that are released unchanged.
    provenance : mapping
        Methods used, number of records and versions of software.
    drawn_seeds : tuple of int
        Seeds that the run drew.
    rows : ndarray of int or None
        Row of the table that each released record comes from, or None if all records are released
        in order.
    profile : mapping
        Counts and correlations for the figures of a report.
    """

    evidence: Evidence
    data: Any
    remarks: Mapping[str, str]
    unchanged: tuple[str, ...]
    provenance: Mapping[str, Any]
    drawn_seeds: tuple[int, ...]
    rows: NDArray[np.int64] | None
    profile: Mapping[str, Any]

    def with_findings(self, findings: Sequence[Finding]) -> "Draft":
        """Return the draft with further findings for its verdict."""
        run_findings = (*self.evidence.run_findings, *findings)
        return replace(self, evidence=replace(self.evidence, run_findings=run_findings))

    def with_analysed_columns(self, analysed_columns: "AnalysedColumns | None") -> "Draft":
        """Return the draft of a file with a description of how analyses read its columns."""
        return replace(self, evidence=replace(self.evidence, analysed_columns=analysed_columns))

    def to_release(
        self,
        verdict: Verdict,
        *,
        measures: Mapping[str, Any] | None = None,
        file_remarks: Sequence[str] = (),
    ) -> Release:
        """Return the release with its verdict, and issue its findings as Python warnings.

        Parameters
        ----------
        verdict : Verdict
            The verdict on the table in memory or on the file.
        measures : mapping, optional
            The measures of the file, if the release was written; by default the measures of the
            table in memory.
        file_remarks : list of str
            Sentences on what the file could not represent.

        Returns
        -------
        Release
            The release, whose ``warnings`` are the issued warnings and ``file_remarks``.
        """
        evidence = self.evidence
        return Release(
            data=self.data,
            plan=evidence.plan,
            partitions=tuple(evidence.partitions),
            measures=dict((evidence.measures or {}) if measures is None else measures),
            remarks=dict(self.remarks),
            warnings=(*warn(verdict), *file_remarks),
            unchanged=self.unchanged,
            provenance=dict(self.provenance),
            verdict=verdict,
            drawn_seeds=self.drawn_seeds,
            rows=self.rows,
            profile=dict(self.profile),
        )
