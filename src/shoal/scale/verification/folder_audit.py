"""Verify a released folder against its manifest and its guarantee, file by file."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal import _progress as progress
from shoal._text import count
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
from shoal.audit.keys import read_bytes
from shoal.audit.statements import as_stored, other_versions
from shoal.errors import ClusterError, ShoalError
from shoal.io.store_addresses import as_location, name_of
from shoal.plan import Plan
from shoal.plan.verdict import Verdict
from shoal.scale import mask
from shoal.scale.assessment.verdict import judge_recount
from shoal.scale.release import LargeRelease
from shoal.scale.sources.chunks import Footer, read_footer
from shoal.scale.sources.source_files import find_files
from shoal.scale.storage.files import file_entry, hash_file, is_remote, join, list_files
from shoal.scale.storage.files import read_bytes as read_store
from shoal.scale.storage.marker import MARKER
from shoal.scale.verification.recount import Recount, recount, recount_constraints

MAX_NAMED = 3  # files that are named in a message; further files are only counted


class FolderAudit:
    """Checks of a released folder against the entries of its manifest.

    ``manifest_folder`` is the folder of the manifest; scratch files are written there too.
    """

    def __init__(
        self,
        entries: Mapping[str, Any],
        folder: str | Path,
        manifest_folder: Path,
        client: Any = None,
    ):
        self.entries, self.folder, self.client = entries, as_location(folder), client
        self.manifest_folder = manifest_folder
        self.plan = Plan.from_dict(entries["plan"], None)
        self.output = entries["output"]
        self.verdict: Verdict | None = None
        self.constraints: tuple[float | None, float | None] = (None, None)

    def checks(self) -> Iterator[Check]:
        """Yield the checks that do not need the original."""
        yield run_check("files", self._check_files)
        yield run_check("marker", self._check_marker)
        try:
            footers = {path: read_footer(path) for path in find_files(self.folder)}
        except ShoalError as error:
            yield Check("readable", False, message_without_outcome(error))
            return
        yield run_check("records", lambda: self._check_records(footers.values()))
        yield run_check("columns", lambda: self._check_columns(footers))
        yield run_check("dropped", lambda: self._check_dropped(footers.values()))
        try:
            counts = recount(list(footers), self.plan.quasi_identifiers)
            self.constraints = recount_constraints(list(footers), self.plan)
        except ShoalError as error:
            yield Check("guarantee", False, message_without_outcome(error))
            return
        yield run_check("guarantee", lambda: self._check_guarantee(counts))
        yield run_check("smallest class", lambda: self._check_smallest_class(counts))
        yield run_check("classes", lambda: _check_classes_whole(counts))
        yield run_check("verdict", lambda: self._check_verdict(counts))

    def checks_with_original(
        self, original: Sequence[str | Path], hash_key: bytes | None
    ) -> Iterator[Check]:
        """Yield the checks that the original allows: its hashes, and running the plan again."""
        yield run_check("original", lambda: self._check_original(original, hash_key))
        try:
            release = self._run_again(original)
        except ClusterError:
            raise
        except ShoalError as error:
            yield Check("run again", False, message_without_outcome(error))
            return
        yield run_check("run again", lambda: self._check_same_files(release))
        manifest = release.manifest
        yield run_check("statements", lambda: statements.check_statements(self.entries, manifest))
        yield run_check("versions", lambda: statements.check_versions(self.entries, manifest))

    @cached_property
    def _hashes(self) -> dict[str, str]:
        """The hash of every file in the folder, including unexpected ones, by its name there."""
        names = list(list_files(self.folder))
        hashes = {}
        for n_done, name in enumerate(names):
            progress.report("hashing", n_done, len(names))
            hashes[name] = file_entry(join(self.folder, name))["sha256"]
        return hashes

    def _check_files(self) -> tuple[bool, str]:
        if not (is_remote(self.folder) or Path(self.folder).is_dir()):
            name = name_of(self.folder)
            return False, f"{name!r} is not a folder, but the manifest describes one"
        expected = {entry["name"]: entry.get("sha256") for entry in self.output["files"]}
        if MARKER not in expected:
            return False, f"the manifest does not list {MARKER}"
        faults = [f"{name!r} is missing" for name in expected if name not in self._hashes]
        for name, digest in self._hashes.items():
            if name not in expected:
                faults.append(f"{name!r} is not in the manifest")
            elif digest != expected[name]:
                faults.append(f"the SHA-256 of {name!r} is not that in the manifest")
        if faults:
            and_more = f"; and {len(faults) - MAX_NAMED:,} more" if len(faults) > MAX_NAMED else ""
            return False, "; ".join(faults[:MAX_NAMED]) + and_more
        return True, f"{len(expected):,}, each with its SHA-256 in the manifest"

    def _check_records(self, footers: Iterable[Footer]) -> tuple[bool, str]:
        counted = sum(sum(footer.lengths) for footer in footers)
        return compare_numbers(counted, self.entries["records"])

    def _check_columns(self, footers: Mapping[str, Footer]) -> tuple[bool, str]:
        stated = list(self.output["types"].items())
        for path, footer in footers.items():
            if [(field.name, str(field.type)) for field in footer.schema] != stated:
                return False, f"{name_of(path)!r} has other columns or types than the manifest"
        same = [name for name, _ in stated] == self.entries["columns"]
        return same, f"{len(stated):,}, {'' if same else 'not '}as in the manifest"

    def _check_dropped(self, footers: Iterable[Footer]) -> tuple[bool, str]:
        return check_dropped_columns(
            self.plan, list({name: 0 for footer in footers for name in footer.schema.names})
        )

    def _check_marker(self) -> tuple[bool, str]:
        """Compare the marker file of the folder with the manifest."""
        try:
            marker = json.loads(self._read_marker())
        except ValueError:
            return False, f"{MARKER} is damaged: not JSON"
        expected = {
            **self.entries,
            "files": [file for file in self.output["files"] if file["name"] != MARKER],
        }
        names = [name for name in marker if name != "promise"] if isinstance(marker, dict) else [""]
        differing = [
            name for name in names if as_stored(marker.get(name)) != as_stored(expected.get(name))
        ]
        if differing:
            return False, f"{MARKER} states other {', '.join(differing)} than the manifest"
        return True, f"{MARKER} agrees with the manifest"

    def _read_marker(self) -> bytes:
        if is_remote(self.folder):
            return read_store(join(self.folder, MARKER))
        return read_bytes(Path(self.folder, MARKER))

    def _check_guarantee(self, counts: Recount) -> tuple[bool | None, str]:
        same, reason = statements.check_plan(self.entries, self.plan)
        if not same:
            return False, reason
        k = self.plan.k
        self.verdict = self._judge(counts)
        if k is None:
            return None, "the plan guarantees no k-anonymity"
        if self.verdict.status == "not kept" and counts.smallest >= k:
            return False, " ".join(finding.sentence for finding in self.verdict.of("breaks"))
        if counts.smallest < k:
            return False, (
                f"The smallest class of the released values holds {counts.smallest} records;"
                f" k={k} was guaranteed."
            )
        return kept_result(self.plan, units_counted=False)

    def _judge(self, counts: Recount) -> Verdict:
        return judge_recount(self.plan, counts.smallest, self.output["types"], self.constraints)

    def _check_smallest_class(self, counts: Recount) -> tuple[bool, str]:
        return compare_numbers(
            counts.smallest, self.entries["promise"]["smallest_class"], "records"
        )

    def _check_verdict(self, counts: Recount) -> tuple[bool | None, str]:
        self.verdict = self._judge(counts)
        return statements.check_verdict(self.entries, self.verdict, self.plan)

    def _check_original(
        self, original: Sequence[str | Path], hash_key: bytes | None
    ) -> tuple[bool | None, str]:
        entries = self.entries.get("input", {}).get("files", [])
        if not entries or not all(map(has_hash, entries)):
            return False, "the manifest has no hashes of it"
        if hash_key is None and not all("sha256" in entry for entry in entries):
            return False, "the hashes in the manifest are keyed, and there is no hash key"
        unmatched = list(entries)
        digests = [hash_file(path)[1] for path in find_files(original)]
        for digest in digests:
            match = next(
                (entry for entry in unmatched if matches_hash(digest, entry, hash_key)), None
            )
            if match is not None:
                unmatched.remove(match)
        same = not unmatched and len(digests) == len(entries)
        n_files = count(len(digests), "file")
        return same, f"{n_files}, {'each' if same else 'not all'} with its hash in the manifest"

    def _run_again(self, original: Sequence[str | Path]) -> LargeRelease:
        # Scratch files contain the original: they are written next to the manifest, not to a
        # folder that all users of the machine can read.
        with tempfile.TemporaryDirectory(prefix=".verify-", dir=self.manifest_folder) as folder:
            target = Path(folder) / "again"
            return mask(
                original,
                self.plan,
                target,
                client=self.client,
                allow_not_kept=True,  # the check of the verdict reports it
                chunk_size=self.entries["large"]["chunk_size"],
                random_state=self.entries["large"]["random_state"],
            )

    def _check_same_files(self, release: LargeRelease) -> tuple[bool, str]:
        # Names in a store contain hashes; they are in the same order as the names in a folder.
        hashes = [entry["sha256"] for entry in release.files]
        if hashes == [self._hashes[name] for name in sorted(self._hashes) if name != MARKER]:
            self.verdict = release.verdict
            return True, "the plan gives the same bytes"
        return False, f"the plan gives other bytes{other_versions(self.entries)}"


def _check_classes_whole(counts: Recount) -> tuple[bool, str]:
    """Return whether every class is in a single file, so that counting file by file is right."""
    if counts.n_split:
        classes, verb = ("class", "spans") if counts.n_split == 1 else ("classes", "span")
        return False, (
            f"{counts.n_split:,} {classes} {verb} several files and were counted separately in each"
        )
    sampled = f"each of {counts.n_compared:,} sampled classes" if counts.is_sample else "each"
    return True, f"{counts.n_classes:,}; {sampled} is in a single file"
