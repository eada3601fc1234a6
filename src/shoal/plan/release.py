"""What a plan makes of a table, and what it can say about it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners import Partition
from shoal.partitioners._base import Labels, in_order
from shoal.plan.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.comparison.tradeoff import Point
    from shoal.plan import Plan


class ReleaseLike(Protocol):
    """What reports and manifests ask of a release, wherever its records lie."""

    @property
    def plan(self) -> "Plan":
        """What was done."""

    @property
    def measures(self) -> dict[str, Any]:
        """Value of each measure by name."""

    @property
    def remarks(self) -> dict[str, str]:
        """What is to be said about a measure, by its name."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the person who signs must know."""

    @property
    def unchanged(self) -> tuple[str, ...]:
        """Columns that leave as they came."""

    @property
    def provenance(self) -> dict[str, Any]:
        """Number of records, missing cells, methods used and versions of software."""

    @property
    def profile(self) -> dict[str, Any]:
        """What pictures are drawn from."""

    @property
    def group_summaries(self) -> list[dict[str, int]]:
        """Number of groups, the smallest and the largest, of each step and block."""

    @property
    def verdict(self) -> Verdict:
        """What may be said about the release."""


@dataclass(frozen=True, eq=False)
class Release:
    """A masked table, with what was done to it and what that cost.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The masked table, of the kind that came in.
    plan : Plan
        What was done; running it again gives the same release.
    partitions : tuple of Partition
        The groups of each step and block, in order.
    measures : dict
        Value of each measure by name; those that search for each record among all
        others, as `linkage` does, are left to `shoal.assess`.
    remarks : dict
        What a measure could not see and why, by the name of the measure.
    warnings : tuple of str
        What the person who signs must know.
    unchanged : tuple of str
        Columns that leave as they came.
    provenance : dict
        Method used, number of records and versions of software.
    verdict : Verdict
        What may be said about the release, counted on the released values.
    drawn_seeds : tuple of int
        Seeds that the plan left open and this run drew; they stand in its ``plan``. They
        are keys to the release: printing does not show them.
    rows : ndarray of int, optional
        Row of the table that each released record comes from, where some were dropped
        because a value is missing, or the order is random. It is a key too.
    profile : dict
        Counts and correlations that the pictures of a report are drawn from; see
        `shoal.plan.profile`.
    """

    data: Any
    plan: "Plan"
    partitions: tuple[Partition, ...]
    measures: dict[str, Any]
    remarks: dict[str, str]
    warnings: tuple[str, ...]
    unchanged: tuple[str, ...]
    provenance: dict[str, Any]
    verdict: Verdict
    drawn_seeds: tuple[int, ...] = ()
    rows: NDArray[np.int64] | None = None
    profile: dict[str, Any] = field(default_factory=dict)

    @property
    def labels(self) -> Labels:
        """Group of each released record; with several blocks or steps, those that share all groups.

        Where no step groups records, each is alone.
        """
        if not self.partitions:
            return np.arange(self.provenance["records"])
        joint = self.partitions[0].labels
        for groups in self.partitions[1:]:
            joint = in_order(joint * groups.n_groups + groups.labels)
        return joint

    @property
    def group_summaries(self) -> list[dict[str, int]]:
        """Number of groups, the smallest and the largest, of each step and block."""
        return [
            {
                "number": groups.n_groups,
                "smallest": int(groups.sizes.min()),
                "largest": int(groups.sizes.max()),
            }
            for groups in self.partitions
        ]

    @property
    def manifest(self) -> dict[str, Any]:
        """What an auditor needs to repeat the release, as plain data; not for publication.

        It holds the plan as it was run, with the seeds.
        """
        from shoal.audit.manifest import content  # a look upwards, as that of report

        return content(self)

    def report(
        self,
        path: str | Path,
        *,
        audience: str = "public",
        curve: "Sequence[Point]" = (),
        force: bool = False,
    ) -> None:
        """Write what was promised and what was measured: HTML, JSON or text.

        Parameters
        ----------
        path : str or Path
            The file, ``.html`` (one page, nothing from outside), ``.json`` or ``.txt``.
        audience : str
            ``"public"``: no seed, no groups, no value of a single record; or
            ``"internal"``: all that helps to decide.
        curve : list of Point
            What `shoal.comparison.tradeoff.sweep` found, to show this release among its like.
        force : bool
            Whether a file that exists may be replaced.
        """
        from shoal.report import write_report  # the only look upwards: see docs/architecture.md

        write_report(self, Path(path), audience=audience, curve=curve, force=force)

    def __repr__(self) -> str:
        sizes = [size for groups in self.partitions for size in groups.sizes]
        groups = f"groups of {min(sizes)} to {max(sizes)}" if sizes else "no groups"
        loss = self.measures.get("information_loss")
        lost = "not measured" if loss is None else f"{loss:.2f}%"
        return (
            f"Release({self.provenance['records']} records, {groups}, information loss {lost},"
            f" verdict: {self.verdict.status})"
        )
