"""The release of a large table: a folder, with its plan, measures and verdict."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

from shoal._text import count, format_percentage
from shoal._versions import installed_version
from shoal.audit import manifest as manifests
from shoal.metrics.rounding import round_floats
from shoal.plan import Plan
from shoal.plan.verdict import Verdict
from shoal.scale.microaggregation.block_measures import MaskedBlock
from shoal.scale.shards import Shard
from shoal.scale.statistics.counts import sum_counts
from shoal.scale.storage.marker import MARKER, marker_text

SOFTWARE = ("shoal", "numpy", "numba", "scikit-learn", "pyarrow", "dask")


@dataclass(frozen=True, eq=False)
class LargeRelease:
    """A masked table in a folder, with its plan, measures and verdict.

    Parameters
    ----------
    target : Path or str
        The folder of Parquet files, or its address.
    plan : Plan
        The plan that was run; running it again gives the same files.
    measures : dict
        Value of each measure by name: ``information_loss`` and, with weights,
        ``weighted_total_change`` of all records, summed exactly;
        ``smallest_class``, ``class_sizes``, ``reidentification`` and
        ``homogeneous_classes`` counted on the released files; ``linkage`` of a sample.
    remarks : dict
        How a measure was computed, or why not, by its name.
    warnings : tuple of str
        The warnings of the run.
    groups : dict
        Number of groups, size of the smallest and of the largest, or an empty dict if no step
        groups records.
    provenance : dict
        Number of records and of blocks, the options that the files depend on besides the plan
        (``chunk_size`` and ``random_state``), missing values, methods and versions of software.
    files : tuple of dict
        Name, records, bytes and hash of each file.
    verdict : Verdict
        The verdict; classes are counted on the released files.
    drawn_seeds : tuple of int
        Seeds that the plan left open and this run drew; ``plan`` contains them.
    types : dict
        The type of each released column in the files.
    source_files : tuple of dict
        Name, bytes and hash of each file of the source, if a manifest was requested.
    recoded : tuple of str
        Columns of strata in which records of merged strata have new values.
    block_groups : tuple of dict
        The summary in ``groups``, for each block of columns.
    profile : dict
        Counts and correlations for the figures of a report; see `shoal.plan.profile`.
    """

    target: Path | str
    plan: Plan
    measures: dict[str, Any]
    remarks: dict[str, str]
    warnings: tuple[str, ...]
    groups: dict[str, int]
    provenance: dict[str, Any]
    files: tuple[dict[str, Any], ...]
    verdict: Verdict
    drawn_seeds: tuple[int, ...] = ()
    types: dict[str, str] = field(default_factory=dict)
    source_files: tuple[dict[str, Any], ...] = ()
    recoded: tuple[str, ...] = ()
    block_groups: tuple[dict[str, int], ...] = ()
    profile: dict[str, Any] = field(default_factory=dict)

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The columns that are released unchanged."""
        changed = (*self.plan.masked, *self.recoded)
        return tuple(name for name in self.types if name not in changed)

    @property
    def group_summaries(self) -> list[dict[str, int]]:
        """The groups of each block of columns, in the form of a release in memory."""
        return list(self.block_groups) or ([self.groups] if self.groups else [])

    @property
    def marker(self) -> dict[str, Any]:
        """The content of the file ``_SUCCESS``; all of it may be published."""
        return {
            "records": self.provenance["records"],
            "promise": {"k": self.plan.k, "smallest_class": self.measures["smallest_class"]},
            "measures": round_floats(self.measures),
            "remarks": self.remarks,
            "versions": self.provenance["versions"],
            "files": list(self.files),
        }

    @property
    def manifest(self) -> dict[str, Any]:
        """What an auditor needs to repeat the release, as plain data; not for publication.

        It contains the plan as it was run and all seeds, and the hashes of the source if a
        manifest was requested when the release was made.
        """
        text = marker_text(self.marker).encode()
        marker = {"name": MARKER, "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        return manifests.of_folder(
            self,
            {"files": list(self.source_files)} if self.source_files else {},
            {"name": Path(self.target).name, "types": self.types, "files": [*self.files, marker]},
            {name: self.provenance[name] for name in ("chunk_size", "random_state")},
        )

    def report(self, path: str | Path, *, audience: str = "public", force: bool = False) -> None:
        """Write a report on the verdict and the measures: HTML, JSON or text.

        Parameters
        ----------
        path : str or Path
            The file, ``.html`` (one self-contained page), ``.json`` or ``.txt``.
        audience : {"public", "internal"}, default="public"
            A public report shows no seed, no groups and no value of a single record; an
            internal one shows everything that helps to decide.
        force : bool
            Whether an existing file may be replaced.
        """
        from shoal.report.write import write_report  # workers do not need the templates

        write_report(self, Path(path), audience=audience, force=force)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import release_html  # workers do not need the templates

        return release_html(self)

    def __repr__(self) -> str:
        n_records = count(self.provenance["records"], "record")
        text = f"LargeRelease({n_records} in {count(len(self.files), 'file')}"
        if self.groups:
            text += (
                f", groups of {self.groups['smallest']:,} to {self.groups['largest']:,},"
                f" information loss {format_percentage(self.measures['information_loss'])}"
            )
        return f"{text}, verdict: {self.verdict.status})"


def summarise_groups(blocks: Sequence[MaskedBlock], column_block_index: int) -> dict[str, int]:
    """Return number, smallest and largest size of the groups of a block of columns."""
    sizes = sum_counts(block.group_sizes[column_block_index] for block in blocks)
    return {"number": sum(sizes.values()), "smallest": min(sizes), "largest": max(sizes)}


def join_summaries(summaries: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the summary of the groups of all blocks of columns together."""
    return {
        "number": sum(summary["number"] for summary in summaries),
        "smallest": min(summary["smallest"] for summary in summaries),
        "largest": max(summary["largest"] for summary in summaries),
    }


def provenance(
    shards: Sequence[Shard], blocks: Sequence[MaskedBlock], chunk_size: int, random_state: int
) -> dict[str, Any]:
    """Return the provenance of a release; see `LargeRelease`."""
    methods = dict.fromkeys(method for block in blocks for method in block.methods)
    common = recoding_provenance(shards, len(blocks), chunk_size, random_state)
    return {**common, "methods": sorted(f"{method} in {len(blocks)} blocks" for method in methods)}


def recoding_provenance(
    shards: Sequence[Shard], n_blocks: int, chunk_size: int, random_state: int
) -> dict[str, Any]:
    """Return the provenance of a release without groups."""
    return {
        "records": sum(shard.n_records for shard in shards),
        "blocks": n_blocks,
        "chunk_size": chunk_size,
        "random_state": random_state,
        "missing": sum_counts(shard.missing for shard in shards),
        "methods": [],
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    """Return the versions of software that may change a release; a pool needs no Dask."""
    versions = {}
    for name in SOFTWARE:
        with suppress(PackageNotFoundError):
            versions[name] = installed_version(name)
    return versions
