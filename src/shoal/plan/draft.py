"""The class `Draft`: a release before its verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.plan.evidence import Evidence
from shoal.plan.release import Release
from shoal.plan.verdict import Finding, Verdict
from shoal.plan.warnings import warn

if TYPE_CHECKING:
    from shoal.plan.analysed_columns import AnalysedColumns


class Draft(NamedTuple):
    """A release before its verdict.

    A release in memory is judged as it is, and one that is written to a file as read back from the
    file. Either is judged once.

    Parameters
    ----------
    evidence : Evidence
        The input of the verdict.
    fields : mapping
        The fields of the release, except the verdict and the warnings, which follow from it.
    """

    evidence: Evidence
    fields: Mapping[str, Any]

    def with_findings(self, findings: Sequence[Finding]) -> "Draft":
        """Return the draft with further findings for its verdict."""
        run_findings = (*self.evidence.run_findings, *findings)
        return self._replace(evidence=replace(self.evidence, run_findings=run_findings))

    def with_analysed_columns(self, analysed_columns: "AnalysedColumns | None") -> "Draft":
        """Return the draft of a file, with how analyses read its columns."""
        return self._replace(evidence=replace(self.evidence, analysed_columns=analysed_columns))

    def to_release(
        self, verdict: Verdict, *, remarks: Sequence[str] = (), **changes: Any
    ) -> Release:
        """Return the release with its verdict, and issue its findings as Python warnings.

        ``remarks`` are sentences on what a file could not represent; ``changes`` replace other
        fields.
        """
        sentences = (*warn(verdict), *remarks)
        return Release(**{**self.fields, **changes}, verdict=verdict, warnings=sentences)
