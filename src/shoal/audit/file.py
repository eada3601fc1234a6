"""A released file is held against its manifest and its promise."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.audit import manifest as manifests
from shoal.audit.check import Check, gone, repeated, said, tried, unbroken
from shoal.errors import FileError, ShoalError
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.io.database import is_database
from shoal.io.dialect import Dialect
from shoal.io.files import open_source, write
from shoal.io.source import Source
from shoal.metrics import smallest_class
from shoal.plan import Plan
from shoal.plan.deliver import mask_source
from shoal.plan.draft import Draft
from shoal.plan.evidence import Evidence
from shoal.plan.guarantees import judge
from shoal.plan.readback import read_frame
from shoal.plan.verdict import Verdict


class Audit:
    """A released file beside its manifest."""

    def __init__(self, entries: Mapping[str, Any], place: str, table: str | None, dialect: Dialect):
        self.entries, self.place, self.dialect = entries, place, dialect
        self.plan = Plan.from_dict(entries["plan"], None)
        self.output = entries.get("output", {})
        self.table = table or self.output.get("table")
        self.verdict: Verdict | None = None

    def checks(self) -> Iterator[Check]:
        """Yield what can be said without the original."""
        yield unbroken(self.entries)
        yield tried("file", lambda: _compared(self.place, self.output, "the manifest's"))
        try:
            frame = self._released()
        except ShoalError as error:
            yield Check("readable", False, said(error))
            return
        for name, look in {
            "records": self._records,
            "columns": self._columns,
            "dropped": self._dropped,
            "promise": self._promise,
            "smallest class": self._smallest,
        }.items():
            yield tried(name, lambda look=look: look(frame))  # type: ignore[misc]

    def again(self, original: str, table: str | None) -> Iterator[Check]:
        """Yield what the original adds: that it is the one, and that it gives the same bytes."""
        source = self.entries.get("input", {})
        yield tried("original", lambda: _compared(original, source, "the manifest's"))
        dialect = replace(self.dialect, table=table or source.get("table"))
        yield tried("run again", lambda: self._repeated(original, dialect))

    def _opened(self) -> Source:
        dialect = replace(self.dialect, sheet=None, table=self.table)
        return open_source(self.place, dialect=dialect, numbers=())

    def _released(self) -> Frame:
        return read_frame(self._opened(), self.plan)

    def _records(self, frame: Frame) -> tuple[bool, str]:
        told = self.entries["records"]
        return len(frame) == told, f"{len(frame)}, and {told} in the manifest"

    def _columns(self, frame: Frame) -> tuple[bool, str]:
        same = list(frame.columns) == self.entries["columns"]
        return same, f"{len(frame.columns)}, {'as' if same else 'not as'} in the manifest"

    def _dropped(self, frame: Frame) -> tuple[bool, str]:
        return gone(self.plan, frame.columns)

    def _promise(self, frame: Frame) -> tuple[bool | None, str]:
        k = self.entries["promise"]["k"]
        if k != self.plan.k:
            return False, f"the manifest promises k={k} and its plan k={self.plan.k}"
        self.verdict = judge(Evidence(self.plan, frame))
        if self.verdict.status == "not kept":
            return False, " ".join(finding.sentence for finding in self.verdict.of("breaks"))
        if k is None:
            return None, "the plan promises no k-anonymity"
        told = f"k={k} is kept, counted on the released values"
        if self.plan.unit_column is not None:
            told += "; in records, because the column of units was dropped"
        return True, told

    def _smallest(self, frame: Frame) -> tuple[bool, str]:
        attained = smallest_class(tables.codes(frame, self.plan.known))
        told = self.entries["promise"]["smallest_class"]
        return attained == told, f"{attained} records, and {told} in the manifest"

    def _repeated(self, original: str, dialect: Dialect) -> tuple[bool | None, str]:
        in_database = is_database(self.place)
        name = self.place if in_database else Path(self.output.get("name", self.place)).name
        opened = open_source(original, dialect=dialect, numbers=())
        masked = mask_source(self.plan, opened, name, dialect)
        self._judge_with(masked.draft)
        if in_database:
            return None, "not compared: a table of a database has no bytes"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            write(masked.leaving, path, target=path, dialect=dialect)
            same = manifests.sha256(path) == manifests.sha256(Path(self.place))
        return repeated(same, self.entries)

    def _judge_with(self, draft: Draft) -> None:
        """Judge the file again, with all that the original adds."""
        released = read_frame(self._opened(), self.plan, like=draft.evidence.released)
        same_columns = set(released.columns) == set(draft.evidence.released.columns)
        if same_columns and len(released) == len(draft.evidence.released):
            self.verdict = judge(replace(draft.evidence, released=released))


def _compared(place: str, entry: Mapping[str, Any], whose: str) -> tuple[bool | None, str]:
    """Compare a file with what the manifest says of it."""
    if is_database(place):
        return None, "not compared: a table of a database has no hash"
    if "sha256" not in entry:
        return None, "not compared: the manifest names no file"
    found = manifests.file_entry(place, None)
    if found["bytes"] != entry["bytes"]:
        return False, f"{found['bytes']} bytes, and {entry['bytes']} in the manifest"
    same = found["sha256"] == entry["sha256"]
    return same, f"sha256 is {'' if same else 'NOT '}{whose}, {found['bytes']} bytes"


def read_dialect(entries: Mapping[str, Any], folder: Path, layout: str | Path | None) -> Dialect:
    """Return what is needed to read a file, as its manifest tells it."""
    given = dict(entries.get("dialect", {}))
    named = given.pop("layout", None)
    if layout is not None or named is not None:
        given["layout"] = Path(layout) if layout is not None else folder / str(named)
    try:
        return Dialect(**given)
    except TypeError:
        raise FileError(
            "The manifest's dialect has an entry that this Shoal does not know."
        ) from None
