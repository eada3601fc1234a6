"""What a plan makes of a large table: a folder, and what can be said about it."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shoal.audit import manifest as manifests
from shoal.errors import GuaranteeBroken
from shoal.frame.roles import name_columns
from shoal.metrics import NEEDS, needs
from shoal.metrics.assessment import linear
from shoal.metrics.digits import rounded
from shoal.plan import Plan
from shoal.plan.findings.attained import check_attained
from shoal.plan.findings.homogeneity import check_homogeneous
from shoal.plan.findings.loss import check_groups, check_loss
from shoal.plan.findings.unchanged import check_roles, check_unique
from shoal.plan.findings.units import check_identifiers
from shoal.plan.findings.weights import check_weights
from shoal.plan.guarantees import not_computed
from shoal.plan.verdict import RECORD_UNIT, Finding, Verdict, make_verdict
from shoal.scale.exact import UNIT
from shoal.scale.facts import exact_shares, find_facts
from shoal.scale.folder import MARKER
from shoal.scale.job import Job
from shoal.scale.passes import Grouped, Part
from shoal.scale.weights import total_change

SECRET = ("confidential", "confidential_codes", "ordered")
NEEDED = "Not computed: needs {}."
WHOLE = "Not computed on a table that no process holds, nor are columns drawn before and after."
NOT_CHECKED = (
    "records that unchanged or confidential columns single out by themselves, and derived columns,"
    " on a table that no process holds"
)
NOT_RECOUNTED = (
    "classes that share a confidential value, values released exactly, dominated groups, imputed"
    f" values, the loss, {NOT_CHECKED}"
)
SOFTWARE = ("shoal", "numpy", "numba", "scikit-learn", "pyarrow", "dask")


@dataclass(frozen=True, eq=False)
class LargeRelease:
    """A masked table in a folder, with what was done to it and what that cost.

    Parameters
    ----------
    target : Path
        The folder of Parquet files.
    plan : Plan
        What was done; running it again gives the same files.
    measures : dict
        Value of each measure by name: ``information_loss`` and, with weights,
        ``weighted_total_change`` of all records, summed exactly;
        ``smallest_class``, ``class_sizes``, ``reidentification`` and
        ``homogeneous_classes`` counted on the released files; ``linkage`` of a sample.
    remarks : dict
        How a measure was taken, by its name.
    warnings : tuple of str
        What the person who signs must know.
    groups : dict
        Number of groups, the smallest and the largest.
    provenance : dict
        Number of records and of blocks, what repeats the run besides the plan (``chunk_size`` and
        ``random_state``), missing cells, methods used and versions of software.
    files : tuple of dict
        Name, records, bytes and hash of each file.
    verdict : Verdict
        What may be said about the release: the classes are counted on its files.
    drawn_seeds : tuple of int
        Seeds that the plan left open and this run drew; they stand in its ``plan``.
    types : dict
        The type of each released column, as its files tell it.
    came : tuple of dict
        Name, bytes and hash of each file of the source, where a manifest was asked for.
    recoded : tuple of str
        Columns of strata in which records of merged strata show another value than their own.
    """

    target: Path
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
    came: tuple[dict[str, Any], ...] = ()
    recoded: tuple[str, ...] = ()

    @property
    def unchanged(self) -> tuple[str, ...]:
        """Columns that leave as they came."""
        changed = (*self.plan.masked, *self.recoded)
        return tuple(name for name in self.types if name not in changed)

    @property
    def group_summaries(self) -> list[dict[str, int]]:
        """The groups, as those of a table in memory: of one step and block."""
        return [self.groups]

    @property
    def profile(self) -> dict[str, Any]:
        """Nothing: pictures of columns would need the table before and after."""
        return {}

    @property
    def marker(self) -> dict[str, Any]:
        """What the file ``_SUCCESS`` holds: nothing that may not be published."""
        return {
            "records": self.provenance["records"],
            "promise": {"k": self.plan.k, "smallest_class": self.measures["smallest_class"]},
            "measures": rounded(self.measures),
            "remarks": self.remarks,
            "versions": self.provenance["versions"],
            "files": list(self.files),
        }

    @property
    def manifest(self) -> dict[str, Any]:
        """What an auditor needs to repeat the release, as plain data; not for publication.

        It holds the plan as it was run and all seeds. The files of the source stand there if
        a manifest was asked for when the release was made.
        """
        text = marker_text(self.marker).encode()
        mark = {"name": MARKER, "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        return manifests.of_folder(
            self,
            {"files": list(self.came)} if self.came else {},
            {"name": self.target.name, "types": self.types, "files": [*self.files, mark]},
            {name: self.provenance[name] for name in ("chunk_size", "random_state")},
        )

    def report(self, path: str | Path, *, audience: str = "public", force: bool = False) -> None:
        """Write what was promised and what was measured: HTML, JSON or text.

        Parameters
        ----------
        path : str or Path
            The file, ``.html`` (one page, nothing from outside), ``.json`` or ``.txt``.
        audience : str
            ``"public"``: no seed, no groups, no value of a single record; or
            ``"internal"``: all that helps to decide.
        force : bool
            Whether a file that exists may be replaced.
        """
        from shoal.report import write_report  # templates, which workers do not need

        write_report(self, Path(path), audience=audience, force=force)

    def __repr__(self) -> str:
        return (
            f"LargeRelease({self.provenance['records']} records in {len(self.files)} files, groups"
            f" of {self.groups['smallest']} to {self.groups['largest']}, information loss"
            f" {self.measures['information_loss']:.2f}%, verdict: {self.verdict.status})"
        )


def measured(
    job: Job, grouped: Sequence[Grouped], parts: Sequence[Part]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the measures of a release, and how they were taken."""
    sizes = summed(part.sizes for part in parts)
    records = sum(size * number for size, number in sizes.items())
    found: dict[str, Any] = {
        "information_loss": job.book.loss(summed(one.lost for one in grouped)),
        "smallest_class": min(sizes),
        "class_sizes": sizes,
        "reidentification": {
            "prosecutor": 1 / min(sizes),
            "journalist": 1 / min(sizes),
            "marketer": sum(sizes.values()) / records,
        },
    }
    remarks: dict[str, str] = {}
    if job.step.weight is not None and job.book.complete:
        found["weighted_total_change"], remarks["weighted_total_change"] = total_change(
            summed(one.totals for one in grouped), job.book.complete
        )
    if job.confidential:
        found["homogeneous_classes"] = summed(part.homogeneous for part in parts)
    asked = sum(one.asked for one in grouped)
    if asked:
        found["linkage"] = float(sum(one.linked for one in grouped) * UNIT / asked)
        remarks["linkage"] = (
            f"Of {asked} records drawn from {records}, each looked for among the originals of its"
            " own block and in units of the original; among all, no more links would be right."
        )
    return found, {**remarks, **_unmeasured(found, bool(job.confidential))}


def _unmeasured(found: Mapping[str, Any], confidential: bool) -> dict[str, str]:
    """Say of each measure that a table in memory would have why this one lacks it."""
    told = {}
    for name in linear():
        secret = [need for need in needs(name) if need in SECRET]
        if name not in found:
            told[name] = WHOLE if confidential or not secret else NEEDED.format(NEEDS[secret[0]])
    return told


def check_promise(plan: Plan, measures: Mapping[str, Any], came: int, left: int) -> None:
    """Raise where the files keep less than the plan promised; nothing leaves then."""
    if plan.k is not None and measures["smallest_class"] < plan.k:
        raise GuaranteeBroken(
            f"The smallest class of the released values holds {measures['smallest_class']} records;"
            f" k={plan.k} was promised. Please report this: no data were released.",
            code="promise-broken",
            smallest=measures["smallest_class"],
            k=plan.k,
        )
    if came != left:
        raise GuaranteeBroken(
            f"{came} records came and {left} would leave. Please report this: no data were"
            " released.",
            code="records-lost",
            came=came,
            left=left,
        )


def judge(
    plan: Plan, job: Job, names: Sequence[str], grouped: Sequence[Grouped], parts: Sequence[Part],
    came: int, measures: Mapping[str, Any], noted: Sequence[Finding],
) -> Verdict:  # fmt: skip
    """Return what may be said about a release, from what was counted on its files."""
    attained = measures["smallest_class"]
    found = [
        *check_attained(plan, attained),
        *check_identifiers(plan),
        *check_roles(plan, names),
        *check_homogeneous(
            measures.get("homogeneous_classes", {}), sum(measures["class_sizes"].values())
        ),
        *check_loss(measures["information_loss"], plan.thresholds.loss),
        *_missing(grouped, came, sum(part.records for part in parts)),
        *_flat(job),
    ]
    facts = summed(one.facts for one in grouped)
    found += find_facts(facts, job.step, measures["class_sizes"], plan.thresholds)
    unique = [part.unique for part in parts if part.unique is not None]
    if unique:
        share = sum(unique) / sum(part.records for part in parts)
        strata = [name for name in job.step.strata if name in job.released.names]
        found += check_unique(
            [*strata, *job.others], None, share, plan.thresholds.unique, "the records"
        )
    groups = {(job.step.k, size): n for size, n in summed(g.sizes for g in grouped).items()}
    found += check_groups(groups, plan.thresholds.group_size)
    weighed = [part.smallest_weighed for part in parts if part.smallest_weighed is not None]
    if weighed and job.step.weight is not None:
        found += check_weights(job.step.weight, plan.k, min(weighed))
    found = [*found, *noted, not_computed(NOT_CHECKED)]
    return make_verdict(plan.k, attained, RECORD_UNIT, found, exact_shares(facts))


def judge_recount(plan: Plan, attained: int, columns: Iterable[str]) -> Verdict:
    """Return what may be said about a released folder whose classes were counted again."""
    found = [
        *check_attained(plan, attained),
        *check_roles(plan, list(columns)),
        not_computed(NOT_RECOUNTED),
    ]
    return make_verdict(plan.k, attained, RECORD_UNIT, found)


def _missing(grouped: Sequence[Grouped], came: int, left: int) -> list[Finding]:
    found = []
    if came > left:
        found.append(f"{came - left} of {came} records were dropped because values are missing.")
    filled = summed(one.filled for one in grouped)
    if any(filled.values()):
        cells = ", ".join(f"{name!r} {number}" for name, number in filled.items() if number)
        found.append(f"Cells that were missing now hold the value of the group: {cells}.")
    suppressed = summed(one.suppressed for one in grouped)
    if any(suppressed.values()):
        cells = ", ".join(f"{name!r} {number}" for name, number in suppressed.items() if number)
        found.append(
            "Cells were suppressed, because the other records of the group have no value, and that"
            f" of a single record is not released for all: {cells}."
        )
    return [Finding("missing-values", "informs", sentence) for sentence in found]


def _flat(job: Job) -> list[Finding]:
    flat = [reading.name for reading in job.book.masked if reading.flat]
    if not flat:
        return []
    verb = "is constant and takes" if len(flat) == 1 else "are constant and take"
    return [
        Finding(
            "constant-column",
            "informs",
            f"{name_columns(flat)} {verb} no part in the grouping: there is no spread.",
            columns=tuple(flat),
        )
    ]


def provenance(
    parts: Sequence[Part], grouped: Sequence[Grouped], chunk_size: int, random_state: int
) -> dict[str, Any]:
    """Return where a release comes from."""
    blocks = len(grouped)
    ways = dict.fromkeys(way for one in grouped for way in one.ways)
    return {
        "records": sum(part.records for part in parts),
        "blocks": blocks,
        "chunk_size": chunk_size,
        "random_state": random_state,
        "missing": summed(part.missing for part in parts),
        "methods": sorted(f"{way} in {blocks} blocks" for way in ways),
        "versions": {name: version(name) for name in SOFTWARE},
    }


def marker_text(entries: Mapping[str, Any]) -> str:
    """Return the mark that a release is whole, as text."""
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def summed(counts: Iterable[Mapping[Any, int]]) -> dict[Any, int]:
    """Return counts by the same names together, in the order of these names."""
    total: Counter[Any] = Counter()
    for one in counts:
        total.update(one)
    return {name: total[name] for name in sorted(total)}
