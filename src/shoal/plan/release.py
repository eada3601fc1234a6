"""The class `Release`: a masked table with its plan, measures and verdict."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal._text import count, format_percentage, size_range
from shoal.frame.tables import IntoDataFrame
from shoal.partitioners import Partition
from shoal.partitioners._base import Labels, in_order
from shoal.plan.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.comparison.tradeoff import TradeoffPoint
    from shoal.plan import Plan
    from shoal.report.inline import InlineReport


class ReleaseLike(Protocol):
    """The attributes of a release that reports and manifests use, in memory or on a cluster."""

    @property
    def plan(self) -> "Plan":
        """The plan of the release."""

    @property
    def measures(self) -> dict[str, Any]:
        """Value of each measure by name."""

    @property
    def remarks(self) -> dict[str, str]:
        """Remarks on measures, by name."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that the person responsible for the release must know."""

    @property
    def unchanged(self) -> tuple[str, ...]:
        """Columns that are released unchanged."""

    @property
    def provenance(self) -> dict[str, Any]:
        """Number of records, missing cells, methods used and versions of software."""

    @property
    def profile(self) -> dict[str, Any]:
        """Data for the figures of a report."""

    @property
    def group_summaries(self) -> list[dict[str, int]]:
        """Number of groups, the smallest and the largest, of each step and block."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the release."""


@dataclass(frozen=True, eq=False)
class Release:
    """A masked table with its plan, measures and verdict.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The masked table, of the same kind as the input.
    plan : Plan
        The plan; running it on the same table gives the same release.
    partitions : tuple of Partition
        The groups of each step and block, in order.
    measures : dict
        Value of each measure by name. Measures that compare every record with all others, such
        as `linkage`, are left to `shoal.assess`.
    remarks : dict
        Columns that a measure could not use and why, by the name of the measure.
    warnings : tuple of str
        Sentences of the findings that are also Python warnings, and on what a file could not
        represent; ``verdict.findings`` contains all findings.
    unchanged : tuple of str
        Columns that are released unchanged.
    provenance : dict
        Method used, number of records and versions of software.
    verdict : Verdict
        The verdict on the release, counted on the released values.
    drawn_seeds : tuple of int
        Seeds that this run drew because the plan had none; ``plan`` contains them. Anyone who has
        them may be able to undo the masking, so printing does not show them.
    rows : ndarray of int, optional
        Row of the table that each released record comes from, if records were dropped for
        missing values or shuffled. Like an identifier, it tells which record is whose.
    profile : dict
        Counts and correlations for the figures of a report; see `shoal.plan.profile`.
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
        """Group of each released record; with several blocks or steps, the intersection of groups.

        If no step groups records, each record is its own group.
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
        """What an auditor needs to reproduce the release, as plain data; not for publication.

        It contains the plan with its seeds.
        """
        from shoal.audit import manifest  # imports upwards, as report does

        return manifest.of_release(self)

    def report(
        self,
        path: str | Path | None = None,
        *,
        audience: str = "public",
        curve: "Sequence[TradeoffPoint]" = (),
        title: str = "",
        author: str = "",
        original: IntoDataFrame | None = None,
        force: bool = False,
    ) -> "InlineReport | None":
        """Write a report on the guarantee and the measures, or show it in a notebook.

        Parameters
        ----------
        path : str or Path, optional
            The file: ``.html`` (one page without external resources), ``.json`` or ``.txt``. If
            None, nothing is written.
        audience : {"public", "internal"}, default="public"
            A public report has no seeds, no groups and no values of single records; an internal
            report has everything that helps to decide on the release.
        curve : list of TradeoffPoint
            Results of `shoal.comparison.tradeoff.sweep`, to show this release among them.
        title : str
            Title of the report.
        author : str
            Who is responsible for the release.
        original : pandas, polars or pyarrow table, optional
            The table before masking. An internal report then has a section of evidence: attacks by
            criterion (singling out, linkability, inference) and, with weights, the survey risk.
        force : bool
            Whether to replace an existing file.

        Returns
        -------
        InlineReport or None
            Without a path, an object that notebooks show; its ``html`` is the page.
        """
        # Imports upwards: see docs/architecture.md.
        from shoal.report.attack_evidence import gather_evidence
        from shoal.report.inline import inline_report
        from shoal.report.summary import check_evidence_audience
        from shoal.report.write import write_report

        options: dict[str, Any] = {"audience": audience, "curve": curve}
        options |= {"title": title, "author": author}
        if original is not None:
            check_evidence_audience(audience)
            options["evidence"] = gather_evidence(self, original)
        if path is None:
            return inline_report(self, **options)
        write_report(self, Path(path), force=force, **options)
        return None

    def plot(self) -> Any:
        """Draw the class sizes and the masked columns with matplotlib (extra ``plots``).

        Returns
        -------
        matplotlib.figure.Figure
            The number of classes of each size, and each masked column before and after. Like the
            public report, it shows no value of a single record.
        """
        from shoal.report.plots import plot_release  # imports upwards, as report does

        return plot_release(self)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import release_html  # imports upwards, as report does

        return release_html(self)

    def __repr__(self) -> str:
        sizes = [size for groups in self.partitions for size in groups.sizes]
        groups = f"groups of {size_range(min(sizes), max(sizes))}" if sizes else "no groups"
        loss = self.measures.get("information_loss")
        loss_text = "not measured" if loss is None else format_percentage(loss)
        return (
            f"Release({count(self.provenance['records'], 'record')}, {groups},"
            f" information loss {loss_text}, verdict: {self.verdict.status})"
        )
