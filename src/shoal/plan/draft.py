"""A masked table that nobody has judged yet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from shoal.plan.evidence import Evidence
from shoal.plan.release import Release
from shoal.plan.verdict import Finding, Verdict
from shoal.plan.warnings import warn


class Draft(NamedTuple):
    """What a plan made of a table, before there is a verdict.

    A release in memory is judged as it is; one that is written to a file is judged as it
    reads back from that file. Either way it is judged once.

    Parameters
    ----------
    evidence : Evidence
        What the verdict is computed from.
    fields : mapping
        The fields of the release but for its verdict and the warnings, which follow from it.
    """

    evidence: Evidence
    fields: Mapping[str, Any]

    def with_findings(self, findings: Sequence[Finding]) -> "Draft":
        """Return the draft with further findings, which the verdict will hold too."""
        noted = (*self.evidence.run_findings, *findings)
        return self._replace(evidence=replace(self.evidence, run_findings=noted))

    def to_release(self, verdict: Verdict, *, lost: Sequence[str] = (), **changes: Any) -> Release:
        """Return the release with its verdict, and warn of what is found.

        ``lost`` says what a file could not represent; ``changes`` replace other fields.
        """
        said = (*warn(verdict), *lost)
        return Release(**{**self.fields, **changes}, verdict=verdict, warnings=said)
