"""A released folder is held against its manifest and its promise, file by file."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal import _progress as progress
from shoal.audit import manifest as manifests
from shoal.audit import statements
from shoal.audit.check import Check, check_dropped_columns, message_without_outcome, run_check
from shoal.audit.hashes import has_hash, matches
from shoal.audit.keys import read_bytes
from shoal.audit.statements import other_versions, plain
from shoal.errors import ClusterError, ShoalError
from shoal.plan import Plan
from shoal.plan.verdict import Verdict
from shoal.scale import mask
from shoal.scale.folder import MARKER
from shoal.scale.pieces import Footer, read_footer
from shoal.scale.recount import Recount, recount
from shoal.scale.release import LargeRelease, judge_recount
from shoal.scale.sources import find_files

NAMED = 3  # files told by name; the others are counted


class FolderAudit:
    """A released folder beside its manifest; ``home`` is the folder of the manifest."""

    def __init__(
        self,
        entries: Mapping[str, Any],
        place: Path,
        home: Path,
        client: Any = None,
    ):
        self.entries, self.place, self.home, self.client = entries, place, home, client
        self.plan = Plan.from_dict(entries["plan"], None)
        self.output = entries["output"]
        self.verdict: Verdict | None = None

    def checks(self) -> Iterator[Check]:
        """Yield what can be said without the original."""
        yield run_check("files", self._files)
        yield run_check("marker", self._marker)
        try:
            footers = {path: read_footer(path) for path in find_files(self.place)}
        except ShoalError as error:
            yield Check("readable", False, message_without_outcome(error))
            return
        yield run_check("records", lambda: self._records(footers.values()))
        yield run_check("columns", lambda: self._columns(footers))
        yield run_check("dropped", lambda: self._dropped(footers.values()))
        try:
            counted = recount(list(footers), self.plan.quasi_identifiers)
        except ShoalError as error:
            yield Check("promise", False, message_without_outcome(error))
            return
        yield run_check("promise", lambda: self._promise(counted))
        yield run_check("smallest class", lambda: self._smallest(counted))
        yield run_check("classes", lambda: _unparted(counted))
        yield run_check("verdict", lambda: self._verdict(counted))

    def again(self, original: Sequence[str | Path], hash_key: bytes | None) -> Iterator[Check]:
        """Yield what the original adds: it is the one, and makes these files and this manifest."""
        yield run_check("original", lambda: self._original(original, hash_key))
        try:
            made = self._run_again(original)
        except ClusterError:
            raise
        except ShoalError as error:
            yield Check("run again", False, message_without_outcome(error))
            return
        yield run_check("run again", lambda: self._repeated(made))
        again = made.manifest
        yield run_check("statements", lambda: statements.check_statements(self.entries, again))
        yield run_check("versions", lambda: statements.check_versions(self.entries, again))

    @cached_property
    def _hashes(self) -> dict[str, str]:
        """The hash of every file in the folder, whatever it is, by its name there."""
        paths = [p for p in sorted(self.place.rglob("*")) if p.is_symlink() or not p.is_dir()]
        found = {}
        for done, path in enumerate(paths):
            progress.report("hashing", done, len(paths))
            entry = manifests.file_entry(str(path), None)
            found[path.relative_to(self.place).as_posix()] = entry["sha256"]
        return found

    def _files(self) -> tuple[bool, str]:
        if not self.place.is_dir():
            return False, f"{self.place.name!r} is no folder, and the manifest is of one"
        told = {entry["name"]: entry.get("sha256") for entry in self.output["files"]}
        if MARKER not in told:
            return False, f"the manifest does not list {MARKER}"
        wrong = [f"{name!r} is missing" for name in told if name not in self._hashes]
        for name, found in self._hashes.items():
            if name not in told:
                wrong.append(f"{name!r} is too many")
            elif found != told[name]:
                wrong.append(f"the sha256 of {name!r} is NOT the manifest's")
        if wrong:
            more = f"; and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
            return False, "; ".join(wrong[:NAMED]) + more
        return True, f"{len(told)}, each with the manifest's sha256"

    def _records(self, footers: Iterable[Footer]) -> tuple[bool, str]:
        told, found = self.entries["records"], sum(sum(footer.lengths) for footer in footers)
        return found == told, f"{found}, and {told} in the manifest"

    def _columns(self, footers: Mapping[str, Footer]) -> tuple[bool, str]:
        promised = list(self.output["types"].items())
        for path, footer in footers.items():
            if [(field.name, str(field.type)) for field in footer.schema] != promised:
                return False, f"{Path(path).name!r} has others than the manifest, or other types"
        same = [name for name, _ in promised] == self.entries["columns"]
        return same, f"{len(promised)}, {'as' if same else 'not as'} in the manifest"

    def _dropped(self, footers: Iterable[Footer]) -> tuple[bool, str]:
        return check_dropped_columns(
            self.plan, list({name: 0 for f in footers for name in f.schema.names})
        )

    def _marker(self) -> tuple[bool, str]:
        """Say whether the file that is published with a folder states what the manifest does."""
        try:
            marker = json.loads(read_bytes(self.place / MARKER))
        except ValueError:
            return False, f"{MARKER} is damaged: no JSON"
        stated = {**self.entries, "files": [one for one in self.output["files"] if _is_part(one)]}
        names = [name for name in marker if name != "promise"] if isinstance(marker, dict) else [""]
        differ = [name for name in names if plain(marker.get(name)) != plain(stated.get(name))]
        if differ:
            return False, f"{MARKER} states other {', '.join(differ)} than the manifest"
        return True, f"{MARKER} states what the manifest does"

    def _promise(self, counted: Recount) -> tuple[bool | None, str]:
        same, reason = statements.check_plan(self.entries, self.plan)
        if not same:
            return False, reason
        k = self.plan.k
        self.verdict = judge_recount(self.plan, counted.smallest, self.output["types"])
        if k is None:
            return None, "the plan promises no k-anonymity"
        if self.verdict.status == "not kept" and counted.smallest >= k:
            return False, " ".join(finding.sentence for finding in self.verdict.of("breaks"))
        if counted.smallest < k:
            return False, (
                f"The smallest class of the released values holds {counted.smallest} records;"
                f" k={k} was promised."
            )
        return True, f"k={k} is kept, counted on the released values"

    def _smallest(self, counted: Recount) -> tuple[bool, str]:
        told = self.entries["promise"]["smallest_class"]
        return counted.smallest == told, f"{counted.smallest} records, and {told} in the manifest"

    def _verdict(self, counted: Recount) -> tuple[bool | None, str]:
        self.verdict = judge_recount(self.plan, counted.smallest, self.output["types"])
        return statements.check_verdict(self.entries, self.verdict, self.plan)

    def _original(
        self, original: Sequence[str | Path], hash_key: bytes | None
    ) -> tuple[bool | None, str]:
        told = self.entries.get("input", {}).get("files", [])
        if not told or not all(map(has_hash, told)):
            return False, "the manifest holds no hashes of it"
        if hash_key is None and not all("sha256" in entry for entry in told):
            return False, "the hashes in the manifest are keyed, and there is no hash key"
        left = list(told)
        found = [manifests.sha256(Path(path)) for path in find_files(original)]
        for digest in found:
            fitting = next((one for one in left if matches(digest, one, hash_key)), None)
            if fitting is not None:
                left.remove(fitting)
        same = not left and len(found) == len(told)
        count = f"{len(found)} file{'s' if len(found) > 1 else ''}"
        return same, f"{count}, {'each' if same else 'NOT all'} with the manifest's hash"

    def _run_again(self, original: Sequence[str | Path]) -> LargeRelease:
        # Scratch files hold the original: they lie where the manifest is kept, not in a folder
        # for everybody.
        with tempfile.TemporaryDirectory(prefix=".verify-", dir=self.home) as folder:
            target = Path(folder) / "again"
            return mask(
                original,
                self.plan,
                target,
                client=self.client,
                allow_not_kept=True,  # the verdict on the folder says so
                chunk_size=self.entries["large"]["chunk_size"],
                random_state=self.entries["large"]["random_state"],
            )

    def _repeated(self, made: LargeRelease) -> tuple[bool, str]:
        again = {entry["name"]: entry["sha256"] for entry in made.files}
        if again == {name: one for name, one in self._hashes.items() if name != MARKER}:
            self.verdict = made.verdict
            return True, "the plan gives the same bytes"
        return False, f"the plan gives other bytes{other_versions(self.entries)}"


def _is_part(entry: Mapping[str, Any]) -> bool:
    return bool(entry["name"] != MARKER)


def _unparted(counted: Recount) -> tuple[bool, str]:
    """Say whether records that look alike lie in one file, so that counting by file is right."""
    looked = f"each of {counted.compared} drawn" if counted.drawn else "each"
    if counted.parted:
        return False, f"{counted.parted} lie in more than one file, where they were counted apart"
    return True, f"{counted.classes}, and {looked} lies in one file"
