"""A plan is run from file to file, and what stands in the released file is judged."""

import datetime as dt
import re
import sqlite3
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.feather
import pyarrow.parquet
import tomli_w
from typer.testing import CliRunner

import shoal
from fuzz import promises
from fuzz.alike import alike, moment_of, number_of
from fuzz.case import Case
from fuzz.columns import Column
from fuzz.counter import View
from fuzz.judge import Judged, problems, telltale
from fuzz.memory import last_line, refusal_problems
from fuzz.readers import read_seen, with_holes
from fuzz.sources import FIXED, TABLE, TEXT, Place, layout_text, write_source
from shoal.audit import manifest as manifests
from shoal.audit.manifest_files import ManifestFiles
from shoal.cli import app
from shoal.errors import ShoalError
from shoal.io.dialect import Dialect
from shoal.plan import Plan
from shoal.plan.deliver import deliver

ARROW = {"parquet": pyarrow.parquet.read_table, "feather": pyarrow.feather.read_table}
PLAIN = re.compile(r"(0|-?[1-9]\d{0,14})|-?(0|[1-9]\d{0,5})\.\d{1,9}")  # a number, and no code
RELEASED = "released"  # the table to make, where the target is a database


@dataclass(frozen=True)
class Route:
    """Where a table comes from and where it goes, with the files beside."""

    folder: Path
    source: Place
    target: Place
    layout: Path | None
    plan: Path
    manifest: Path
    allow_not_kept: bool

    @property
    def dialect(self) -> Dialect:
        """What the files do not say, for Shoal."""
        source = self.source
        marked = source.format in TEXT and source.separator == ";"
        return Dialect(
            separator=";" if marked else None,
            decimal=source.decimal,
            encoding=source.encoding,
            missing=source.missing,
            layout=self.layout,
            table=TABLE if source.format == "db" else None,
        )

    @property
    def arguments(self) -> list[str]:
        """The same on the command line."""
        given = self.dialect
        named = {"separator": given.separator, "decimal": given.decimal,
                 "encoding": given.encoding, "missing-text": given.missing or None,
                 "layout": given.layout, "table": given.table,
                 "target-table": RELEASED if self.target.format == "db" else None}  # fmt: skip
        return [str(w) for n, v in named.items() if v is not None for w in (f"--{n}", v)]


def run_on_files(case: Case) -> tuple[str, list[str]]:
    """Return the outcome of a run and what is wrong with it."""
    with tempfile.TemporaryDirectory() as name:
        route = _lay_out(case, Path(name))
        there = _listed(Path(name))
        by_command = case.stream("file").random() < 0.3
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if by_command:
                outcome, shown, problems = _command(route)
            else:
                outcome, shown, problems = _deliver(route)
        del caught
        if outcome != "released":
            left = _listed(Path(name))
            if left != there:
                problems.append(f"left behind: {[one for one in left if one not in there]}")
            return outcome, problems
        problems += _judged(case, route, shown)
        problems += _verified(case, route, shown.verdict.status)
        return outcome, problems


def _listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _lay_out(case: Case, folder: Path) -> Route:
    """Write the source, the plan and the column map."""
    rng = case.stream("file")
    assert case.route is not None
    start, end = case.route
    source = write_source(case.columns, Place(start, folder / f"in.{start}"), rng)
    if start == "txt" and source.layout is None and end in FIXED:
        end = "csv"  # with a column map, .txt would be read as a fixed-width file too
    target = Place(end, folder / f"out.{end}")
    if end in TEXT:
        marked = start in TEXT and source.separator == ";"
        separator = ";" if marked else "\t" if end == "tsv" else ","
        target = replace(
            target,
            separator=separator,
            decimal=source.decimal,
            encoding=source.encoding,
            missing=source.missing,
        )
    layout = source.layout
    if end in FIXED or (end == "txt" and layout is not None):
        layout = layout or _wide(case.columns)
        target = replace(
            target, layout=layout, decimal=source.decimal, encoding=source.encoding,
            missing=source.missing,
        )  # fmt: skip
    if end in ("dta", "sav", "zsav"):
        masked = promises.masked(case.plan)
        own = start == end or {start, end} == {"sav", "zsav"}
        target = replace(
            target,
            codes={n: c for n, c in source.codes.items() if own and n not in masked},
        )
    path = None
    if layout is not None:
        path = folder / "map.toml"
        path.write_text(layout_text(case.columns, layout), encoding="utf-8")
    plan = folder / "plan.toml"
    plan.write_text(tomli_w.dumps(case.plan), encoding="utf-8")
    allow = bool(rng.random() < 0.5)
    return Route(folder, source, target, path, plan, folder / "manifest.json", allow)


def _wide(columns: list[Column]) -> tuple[tuple[str, int, int], ...]:
    layout, at = [], 1
    for column in columns:
        width = max([40, *(len(str(value)) for value in column.values)])
        layout.append((column.name, at, width))
        at += width + 1
    return tuple(layout)


def _deliver(route: Route) -> tuple[str, Any, list[str]]:
    """Run the plan as every interface does."""
    table = RELEASED if route.target.format == "db" else None
    places = {"source": (route.source.address, route.dialect.table),
              "target": (route.target.address, table)}  # fmt: skip
    record = ManifestFiles(route.manifest)
    try:
        delivery = deliver(
            Plan.load(route.plan),
            route.source.address,
            route.target.address,
            dialect=route.dialect,
            target_table=table,
            documents=record.documents(
                lambda made: manifests.dumps(
                    manifests.of_delivery(made, route.dialect, **places, hash_key=record.hash_key)
                )
            ),
            secret=record.secret_files,
            fingerprints=True,
            allow_not_kept=route.allow_not_kept,
        )
    except ShoalError as error:
        return "refused", None, list(refusal_problems(error))
    except Exception as error:
        return "crashed", None, [f"traceback: {last_line(error)}"]
    verdict = delivery.release.verdict
    problems = []
    if verdict.status == "not kept" and not route.allow_not_kept:
        problems.append("verdict: not kept, and the file was published")
    mark = telltale(" ".join(delivery.release.warnings))
    if mark:
        problems.append(f"warning: it holds a value of the data ({mark})")
    rows = delivery.release.rows
    return "released", _Shown(verdict, None if rows is None else rows.tolist()), problems


def _command(route: Route) -> tuple[str, Any, list[str]]:
    """Run the plan by the command line."""
    result = CliRunner().invoke(
        app,
        [
            "run", str(route.plan), route.source.address, route.target.address,
            "--manifest", str(route.manifest), *route.arguments,
            *(["--allow-not-kept"] if route.allow_not_kept else []),
        ],
    )  # fmt: skip
    problems = []
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "crashed", None, [f"traceback: {last_line(result.exception)}"]
    if "Unexpected error" in result.stderr or "Traceback" in result.stderr:
        lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
        return "crashed", None, [f"traceback: {' | '.join(lines[-4:])}"]
    if "Please report" in result.stderr:
        problems.append(f"guarantee: {result.stderr}")
    mark = telltale(result.stdout + result.stderr)
    if mark:
        problems.append(f"message: it holds a value of the data ({mark}): {result.stderr}")
    if result.exit_code not in (0, 1, 2):
        problems.append(f"exit: {result.exit_code}")
    published = route.manifest.exists()
    if not published:
        if result.exit_code == 0 or "error:" not in result.stderr:
            problems.append(f"exit: {result.exit_code} without a release and without an error")
        return "refused", None, problems
    if result.exit_code not in ((0, 1) if route.allow_not_kept else (0,)):
        problems.append(f"exit: {result.exit_code} with a release")
    outcome = _StatedVerdict("not kept" if result.exit_code else "kept or qualified")
    return "released", _Shown(outcome), problems


@dataclass(frozen=True)
class _StatedVerdict:
    """What an exit code says of the verdict."""

    status: str


@dataclass(frozen=True)
class _Shown:
    """A verdict, and the records of the original that were released, in their order."""

    verdict: Any
    rows: list[int] | None = None


def _judged(case: Case, route: Route, shown: Any) -> Iterator[str]:
    seen_before = read_seen(route.source, TABLE)
    before = with_holes(seen_before, route.source)
    after = read_seen(route.target, RELEASED)
    if route.target.layout is not None:  # a column that is dropped is left blank there
        dropped_columns = promises.dropped(case.plan)
        if case.plan.get("other_columns") == "drop":
            dropped_columns = {*dropped_columns, *promises.unnamed(case.plan, before)}
        after = {n: v for n, v in after.items() if n not in dropped_columns or any(v)}
    # The readers here see codes of missing values in these files.
    spss, letters = {"sav", "zsav"}, {"dta", "xpt", "sas7bdat"}
    keeps_codes = (route.source.kind in letters and route.target.kind == "dta") or {
        route.source.kind, route.target.kind
    } <= spss  # fmt: skip
    same = route.source.kind == route.target.kind and route.source.format in (*TEXT, *FIXED)
    judged = Judged(
        case.plan,
        before,
        after,
        _orders(case, after, route.source),
        shown.verdict,
        rows=shown.rows,
        unmasked_before=(
            seen_before if keeps_codes else _unmasked_view(route, before, seen_before)
        ),
        same_cell=(lambda one, other: one == other) if same else _alike_with_letters,
        secrets=_secrets(case, with_holes(after, route.target)),
        in_file=True,
        with_holes=with_holes(after, route.target),
    )
    yield from problems(judged)
    yield from _numbers_as_text(case, route, before, after)


def _unmasked_view(route: Route, before: View, seen: View) -> View:
    """Return what unmasked columns of the source show.

    In formats with types, the sign of a missing value in a text file is a missing value.
    """
    return before if route.source.codes or _gets_types(route) else seen


def _gets_types(route: Route) -> bool:
    """Return whether a text file is released in a format with types."""
    text = (*TEXT, *FIXED)
    return route.source.format in text and route.target.format not in text


def _numbers_as_text(case: Case, route: Route, before: View, after: View) -> Iterator[str]:
    """Yield the unmasked columns of plain numbers that left a text file as text."""
    if not _gets_types(route):
        return
    kinds = {column.name: column.numeric for column in case.columns}
    for name in after:
        known = [value for value in before[name] if value is not None]
        is_stated = route.source.layout is None or kinds[name]  # as text, in the column map
        plain = all(PLAIN.fullmatch(value.replace(route.source.decimal, ".")) for value in known)
        if name in promises.masked(case.plan) or not known or not plain or not is_stated:
            continue
        if any(isinstance(value, str) and value for value in after[name]):
            yield f"types: the numbers of column {name!r} left as text"


def _alike_with_letters(one: Any, other: Any) -> bool:
    """Return whether two cells mean the same.

    The letters of missing values are small in Stata; the text of one stands at the right of a
    number's place in a file of fixed width.
    """
    texts = isinstance(one, str) and isinstance(other, str)
    letters = texts and len(one) == len(other) == 1 and one.lower() == other.lower()
    return alike(one, other) or letters or (texts and one.strip() == other.strip())


def _secrets(case: Case, after: View) -> dict[str, list[Any]]:
    """Return the confidential columns: numbers and dates where every cell is one, else text."""
    columns = {}
    for name in promises.with_role(case.plan, "confidential"):
        columns[name] = list(after[name])
        for kind in (number_of, moment_of):
            values = [kind(value) for value in after[name]]
            texts = {str(value).lower() for value in after[name]}
            mixed = 0 < len(texts & {"true", "false"}) < len(texts)  # TRUE is not 1.0 there
            if None not in values and not mixed:
                columns[name] = values
                break
    return columns


def _orders(case: Case, after: View, source: Place) -> dict[str, list[Any]]:
    """Return the order of confidential columns that hold numbers, dates or ordered categories."""
    kinds = {column.name: column.kind for column in case.columns}
    orders = {}
    for name, values in _secrets(case, after).items():
        numbers = all(isinstance(v, float) and abs(v) <= 1e300 for v in values)
        dates = all(isinstance(v, dt.datetime) for v in values)
        if (numbers and kinds[name] != "boolean") or dates:
            orders[name] = sorted(set(values))
        if kinds[name] == "ordered" and source.format in ARROW and None not in values:
            orders[name] = [one for one in _own_order(source, name) if one in values]
    return orders


def _own_order(source: Place, name: str) -> list[Any]:
    """Return the order of the categories of a Parquet or Feather file."""
    column = ARROW[source.format](source.path).column(name)
    return list(column.unify_dictionaries().chunk(0).dictionary.to_pylist())


def _verified(case: Case, route: Route, status: str) -> Iterator[str]:
    """Verify what was published, then change it and verify again."""
    options: dict[str, Any] = {"layout": route.layout}
    rng = case.stream("checks")
    if rng.random() < 0.5:
        options["original"] = route.source.address
    failed = _failed(route, options)
    if failed and status != "not kept":
        yield f"verify: it fails on what was just published: {failed}"
    if route.target.format == "db":
        if not _change_table(case, route):
            return
    else:
        content = bytearray(route.target.path.read_bytes())
        content[int(rng.integers(len(content)))] ^= 1
        route.target.path.write_bytes(bytes(content))
    if not _failed(route, options):
        yield "verify: it passes on a file that was changed"


def _failed(route: Route, options: dict[str, Any]) -> list[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verification = shoal.verify(route.target.address, route.manifest, **options)
    except ShoalError as error:
        return [f"{type(error).__name__}: {error}"]
    return [f"{check.name}: {check.message}" for check in verification if check.passed is False]


def _change_table(case: Case, route: Route) -> bool:
    """Give one record a masked value of its own, where a promise of k is then broken."""
    k = promises.promised_k(case.plan)
    if k is None or k < 2:
        return False
    kinds = {column.name: column.kind for column in case.columns}
    names = [name for name in promises.known(case.plan) if kinds[name] != "boolean"]
    if not names:  # any number reads as true there
        return False
    name = names[0]
    connection = sqlite3.connect(route.target.path)
    connection.execute(
        f'UPDATE "{RELEASED}" SET "{name}" = -4321.5 WHERE rowid = '
        f'(SELECT min(rowid) FROM "{RELEASED}")'
    )
    connection.commit()
    connection.close()
    return True
