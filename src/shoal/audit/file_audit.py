"""Verification of a released file against its manifest and its guarantee."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.audit import manifest as manifests
from shoal.audit import statements
from shoal.audit.check import (
    Check,
    check_dropped_columns,
    compare_numbers,
    kept_result,
    message_without_outcome,
    run_check,
)
from shoal.audit.hashes import has_hash, matches_hash
from shoal.audit.limits import check_limits
from shoal.audit.statements import other_versions
from shoal.errors import FileError, ShoalError
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.io.database.connection import is_database
from shoal.io.dialect import Dialect
from shoal.io.files import open_source
from shoal.io.type_restoration import empty_table
from shoal.metrics.assessment import Assessment
from shoal.metrics.limits import Limits
from shoal.plan import Plan
from shoal.plan.analysed_columns import AnalysedColumns
from shoal.plan.deliver import Delivery, deliver
from shoal.plan.evidence import Evidence
from shoal.plan.findings.earlier_releases import find_earlier_releases
from shoal.plan.guarantees import judge
from shoal.plan.interpretation import Interpretation
from shoal.plan.readback import read_frame
from shoal.plan.verdict import Verdict, make_verdict

DUMMY_KEY = bytes(32)  # for hashes that are not compared


class FileAudit:
    """Checks of a released file against the entries of its manifest.

    Parameters
    ----------
    entries : mapping
        The manifest.
    location : str
        The file, or the address of the database.
    table : str or None
        The table of a database; if None, the table that the manifest names.
    dialect : Dialect
        How to read the file.
    """

    def __init__(
        self, entries: Mapping[str, Any], location: str, table: str | None, dialect: Dialect
    ):
        self.entries, self.location, self.dialect = entries, location, dialect
        self.plan = Plan.from_dict(entries["plan"], None)
        self.output = entries.get("output", {})
        self.table = table or self.output.get("table")
        self.verdict: Verdict | None = None
        self.delivery: Delivery | None = None  # of the repeated run, if it gave the same bytes
        self.original = ""  # the location of the original, once the plan was run again

    def checks(self) -> Iterator[Check]:
        """Yield the checks that do not need the original."""
        yield run_check("file", lambda: check_file(self.location, self.output))
        try:
            evidence = Evidence(self.plan, self._read_released())
            # Computed here, so that a missing column is reported as a failed check.
            evidence.joint_classes  # noqa: B018
        except ShoalError as error:
            yield Check("readable", False, message_without_outcome(error))
            return
        frame = evidence.released
        yield run_check("records", lambda: self._check_records(frame))
        yield run_check("columns", lambda: self._check_columns(frame))
        yield run_check("dropped", lambda: check_dropped_columns(self.plan, frame.columns))
        yield run_check("guarantee", lambda: self._check_guarantee(evidence))
        yield run_check("smallest class", lambda: self._check_smallest_class(evidence))
        yield run_check(
            "measures",
            lambda: statements.check_measures(self.entries, evidence.joint_classes, self.plan),
        )
        yield run_check("verdict", lambda: self._check_verdict(evidence))

    def checks_with_original(
        self, original: str, table: str | None, hash_key: bytes | None
    ) -> Iterator[Check]:
        """Yield the checks that need the original: its hash, and what running the plan gives."""
        source = self.entries.get("input", {})
        yield run_check("original", lambda: check_original(original, source, hash_key))
        self.dialect = replace(self.dialect, table=table or source.get("table"))
        try:
            delivery, entries = self._repeat_run(original)
            self.original = original
        except ShoalError as error:
            yield Check("run again", False, message_without_outcome(error))
            return
        yield run_check("run again", lambda: self._compare_bytes(delivery))
        yield run_check("statements", lambda: statements.check_statements(self.entries, entries))
        yield run_check("versions", lambda: statements.check_versions(self.entries, entries))

    def check_earlier(self, earlier: Sequence[str]) -> Iterator[Check]:
        """Yield the check of what earlier releases disclose; add its findings to the verdict."""
        if earlier and self.verdict is not None:
            yield run_check("earlier releases", lambda: self._compare_earlier(earlier))

    def check_limits(self, limits: Limits) -> Iterator[Check]:
        """Yield a check of each limit of the plan and of ``limits``."""
        if not limits and not self.plan.limits:
            return
        verdict = None if self.delivery is None else self.delivery.release.verdict
        try:
            evidence = self._evidence()
            if self.delivery is not None and limits.by("utility"):
                plan = self.delivery.release.plan
                analysed_columns = AnalysedColumns.from_source(
                    open_source(self.original, dialect=self.dialect, numbers=()),
                    Interpretation(plan.types, plan.missing_codes),
                )
                evidence = replace(evidence, analysed_columns=analysed_columns)
            yield from check_limits(evidence, limits, verdict)
        except ShoalError as error:
            yield Check("limits", False, message_without_outcome(error))

    def _evidence(self) -> Evidence:
        """Return the released file, with the original if running the plan gave the same bytes."""
        evidence = Evidence(self.plan, self._read_released())
        if self.delivery is None:
            return evidence
        release = self.delivery.release
        original = tables.open_frame(self.delivery.original_table)
        original = original if release.rows is None else tables.take(original, release.rows)
        return replace(
            evidence,
            original=original,
            units=self.plan.units_in(original),
            measures=Assessment(release.measures, release.remarks),
        )

    def _compare_earlier(self, earlier: Sequence[str]) -> tuple[bool | None, str]:
        """Return the result of the comparison with earlier releases."""
        rows = None if self.delivery is None else self.delivery.release.rows
        evidence = self._evidence()
        findings = find_earlier_releases(
            evidence, {name: self._read_earlier(name) for name in earlier}, rows
        )
        if self.verdict is not None:
            all_findings = [*self.verdict.findings, *findings]
            self.verdict = make_verdict(
                self.verdict.promised, self.verdict.k, self.verdict.unit, all_findings
            )
        disclosing = [finding for finding in findings if finding.severity != "informs"]
        if not findings:
            return None, "not compared: no column in common, or nothing changed"
        passed = None if disclosing else True
        if any(finding.severity == "breaks" for finding in findings):
            passed = False
        return passed, " ".join(finding.sentence for finding in disclosing or findings)

    def _read_earlier(self, location: str) -> Frame:
        """Return an earlier release, read with the dialect and the plan of this release."""
        return read_frame(
            open_source(location, dialect=replace(self.dialect, sheet=None), numbers=()), self.plan
        )

    def _read_released(self) -> Frame:
        dialect = replace(self.dialect, sheet=None, table=self.table)
        like = empty_table(self.output.get("types", {}))
        return read_frame(
            open_source(self.location, dialect=dialect, numbers=()), self.plan, like=like
        )

    def _check_records(self, frame: Frame) -> tuple[bool, str]:
        return compare_numbers(len(frame), self.entries["records"])

    def _check_columns(self, frame: Frame) -> tuple[bool, str]:
        same = list(frame.columns) == self.entries["columns"]
        return same, f"{len(frame.columns):,}, {'' if same else 'not '}as in the manifest"

    def _check_guarantee(self, evidence: Evidence) -> tuple[bool | None, str]:
        """Check that the manifest states the guarantee of its plan, and that it is kept."""
        same, reason = statements.check_plan(self.entries, self.plan)
        if not same:
            return False, reason
        self.verdict = judge(evidence)
        if self.verdict.status == "not kept":
            return False, " ".join(finding.sentence for finding in self.verdict.of("breaks"))
        if self.plan.k is None:
            return None, "the plan guarantees no k-anonymity"
        return kept_result(self.plan, units_counted=False)

    def _check_smallest_class(self, evidence: Evidence) -> tuple[bool, str]:
        counted = evidence.smallest_class_size(evidence.joint_classes)
        return compare_numbers(counted, self.entries["promise"]["smallest_class"], "records")

    def _check_verdict(self, evidence: Evidence) -> tuple[bool | None, str]:
        self.verdict = self.verdict or judge(evidence)
        return statements.check_verdict(self.entries, self.verdict, self.plan)

    def _repeat_run(self, original: str) -> tuple[Delivery, dict[str, Any]]:
        """Run the plan again; return the delivery and the manifest that it would have."""
        with tempfile.TemporaryDirectory() as folder:
            name = Path(str(self.output.get("name", "release.csv"))).name
            table = None
            target = str(Path(folder) / name)
            if is_database(self.location):
                target, table = f"sqlite:///{folder}/again.db", "again"
            delivery = deliver(
                self.plan,
                original,
                target,
                dialect=self.dialect,
                target_table=table,
                fingerprints=True,
                allow_not_kept=True,
            )
        locations: dict[str, Any] = {"source": (original, None), "target": (name, None)}
        entries = manifests.of_delivery(delivery, self.dialect, **locations, hash_key=DUMMY_KEY)
        return delivery, entries

    def _compare_bytes(self, delivery: Delivery) -> tuple[bool | None, str]:
        """Return whether the repeated run gave the bytes of the release."""
        if is_database(self.location):
            return None, "not compared: a database table is not a file"
        released = manifests.sha256(Path(self.location))
        if delivery.target is not None and delivery.target.sha256 == released:
            self.verdict = delivery.release.verdict  # of the same bytes, with all checks
            self.delivery = delivery
            return True, "the plan gives the same bytes"
        return False, f"the plan gives other bytes{other_versions(self.entries)}"


def check_file(location: str, entry: Mapping[str, Any]) -> tuple[bool | None, str]:
    """Compare a file with the size and the hash in a manifest; database tables have no hash."""
    if is_database(location):
        return None, "not compared: a database table has no hash"
    if not has_hash(entry):
        return False, "the manifest has no hash of it"
    actual = manifests.entry_of_file(location)
    if "bytes" in entry and actual["bytes"] != entry["bytes"]:
        return compare_numbers(actual["bytes"], entry["bytes"], "bytes")
    same = matches_hash(actual["sha256"], entry, None)
    return same, f"{actual['bytes']:,} bytes, SHA-256 {'' if same else 'not '}as in the manifest"


def check_original(
    location: str, entry: Mapping[str, Any], hash_key: bytes | None
) -> tuple[bool | None, str]:
    """Compare an original with the keyed hash in a manifest; database tables have no hash."""
    if is_database(location):
        return None, "not compared: a database table has no hash"
    if not has_hash(entry):
        return False, "the manifest has no hash of it"
    if "sha256" not in entry and hash_key is None:
        return False, "the hash in the manifest is keyed, and there is no hash key"
    same = matches_hash(manifests.entry_of_file(location)["sha256"], entry, hash_key)
    return same, f"its hash is {'' if same else 'not '}the one in the manifest"


def read_dialect(entries: Mapping[str, Any], folder: Path, layout: str | Path | None) -> Dialect:
    """Return the dialect of a file from its manifest."""
    options = dict(entries.get("dialect", {}))
    layout_name = options.pop("layout", None)
    texts = [
        value for name, value in options.items() if name not in ("keep_notes", "mark_formulas")
    ]
    try:
        if not all(isinstance(text, str) for text in texts) or "table" in options:
            raise TypeError
        if layout is not None or layout_name is not None:
            options["layout"] = Path(layout) if layout else folder / Path(layout_name).name
        return Dialect(**options)
    except TypeError:
        raise FileError(
            "The manifest's dialect has an entry that this version of Shoal does not know. Use the"
            " version that wrote the manifest.",
            code="bad-manifest",
        ) from None
