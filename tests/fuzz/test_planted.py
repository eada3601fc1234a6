"""Faults planted in Shoal: the fuzzer must find each within a stated number of runs."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import shoal
from fuzz import promises
from fuzz.case import draw_case
from fuzz.run import run_one
from shoal.frame import replacement, tables
from shoal.frame.replacement import RowGather
from shoal.io.formats._statistical import writing
from shoal.metrics import classes
from shoal.partitioners import _base
from shoal.plan import deliver, guarantees, masking, readback
from shoal.plan.plan import Plan
from shoal.steps.constraints.privacy_constraint import PrivacyConstraint


def problem_within(runs, *checks, seed=11, in_files=False, where=lambda case: True):
    """Return the number of the first run that fails one of ``checks``, or None.

    Only runs ``in_files`` are made, or only runs in memory, and among them only the cases that a
    planted fault can affect (``where``).
    """
    for number in range(runs):
        case = draw_case(seed, number)
        if in_files != (case.route is not None) or not where(case):
            continue
        problems = run_one(seed, number).problems
        if any(problem.startswith(checks) for problem in problems):
            return number
    return None


def replace_in_all_modules(monkeypatch, function, planted):
    """Put ``planted`` in the place of a function wherever Shoal imported it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("shoal") and vars(module).get(function.__name__) is function:
            monkeypatch.setattr(module, function.__name__, planted)


@pytest.fixture
def moved(monkeypatch):
    """Move one record into another group, past the check of the partition."""
    in_order = _base.in_order

    def one_moved(labels):
        changed = in_order(labels).copy()
        if len(changed) and changed.max() > 0:
            changed[0] = 1
        return changed

    monkeypatch.setattr(_base, "in_order", one_moved)
    monkeypatch.setattr(_base.Partition, "__post_init__", lambda self: None)


@pytest.mark.usefixtures("moved")
def test_a_record_in_the_wrong_group_is_stopped_before_the_release():
    assert problem_within(40, "guarantee:") is not None


@pytest.mark.usefixtures("moved")
def test_a_record_in_the_wrong_group_is_counted_if_the_last_check_is_off(monkeypatch):
    monkeypatch.setattr(masking, "check_guarantees", lambda *arguments: None)
    assert problem_within(40, "k:") is not None


def test_two_classes_that_are_counted_as_one_are_found(monkeypatch):
    def merged(released):
        return np.maximum(classes(released) - 1, 0)

    replace_in_all_modules(monkeypatch, classes, merged)
    assert problem_within(40, "verdict:") is not None


def test_a_value_that_is_not_replaced_is_found(monkeypatch):
    series = replacement._series

    def first_stays(frame, name, new):
        if isinstance(new, RowGather):
            new = RowGather(np.concatenate([[0], new.records[1:]]), new.is_missing)
        return series(frame, name, new)

    monkeypatch.setattr(replacement, "_series", first_stays)
    assert problem_within(60, "guarantee:", "values:") is not None


def test_a_dropped_column_that_is_released_is_found(monkeypatch):
    monkeypatch.setattr(Plan, "dropped", property(lambda self: []))
    assert problem_within(60, "columns:") is not None


def test_a_verdict_that_is_always_kept_is_found(monkeypatch):
    from shoal.plan.verdict import Verdict

    monkeypatch.setattr(Verdict, "status", property(lambda self: "kept"))
    assert problem_within(60, "verdict:") is not None


def has_option(*names):
    """Return a condition: some step of a run has one of these options."""
    return lambda case: any(name in step for step in case.plan["steps"] for name in names)


def test_groups_that_lack_diversity_or_closeness_are_found(monkeypatch):
    beyond_k = has_option("diversity", "closeness")
    monkeypatch.setattr(PrivacyConstraint, "is_met_by", lambda self, records: True)
    assert problem_within(600, "guarantee:", where=beyond_k) is not None
    monkeypatch.setattr(guarantees, "unmet_constraints", lambda *arguments: [])
    assert problem_within(600, "diversity:", "closeness:", where=beyond_k) is not None


def test_a_release_that_depends_on_more_than_the_seed_is_found(monkeypatch):
    seeded = np.random.default_rng

    def unseeded(seed=None):
        return seeded(None if isinstance(seed, int) else seed)

    monkeypatch.setattr(np.random, "default_rng", unseeded)
    draws = {"swap", "hybridise", "rank-swap", "add-noise"}
    drawing = lambda case: any(step["method"] in draws for step in case.plan["steps"])  # noqa: E731
    assert problem_within(400, "repeat:", where=drawing) is not None


def confusable(case):
    """Return whether a guarantee rests on texts that the target does not tell apart."""
    columns = {c.name for c in case.columns if {"yes", "yes "} <= set(c.values)}
    strata = {n for step in case.plan["steps"] for n in promises.as_list(step.get("within"))}
    if has_option("diversity", "closeness")(case):
        strata |= set(promises.with_role(case.plan, "confidential"))
    return case.route[1] in ("sav", "zsav", "xpt", "fwf", "dat") and bool(columns & strata)


def test_a_file_that_is_not_judged_as_it_reads_back_is_found(monkeypatch):
    def judge_in_memory(draft, back, name):
        table = draft.evidence
        return readback.JudgedFile(
            guarantees.judge(table), dict(table.measures), tuple(table.released.columns)
        )

    monkeypatch.setattr(deliver, "judge_file", judge_in_memory)
    checks = ("diversity:", "verify:", "verdict:")
    assert problem_within(2000, *checks, seed=13, in_files=True, where=confusable) is not None


def test_an_error_that_quotes_a_value_is_found(monkeypatch):
    original = tables.check_columns

    def talkative(frame, columns):
        from shoal.errors import InputError

        for name in columns:
            if name in frame.columns and len(frame) % 5 == 0:
                raise InputError(f"Column {name!r} begins with {frame[name][0]}.")
        original(frame, columns)

    monkeypatch.setattr(tables, "check_columns", talkative)
    assert problem_within(60, "message:") is not None


def test_a_format_that_cuts_text_off_is_found(monkeypatch):
    to_storable = writing.to_storable

    def cut(table, *arguments):
        storable = to_storable(table, *arguments)
        for at, name in enumerate(storable.column_names):
            if pa.types.is_string(storable.column(at).type):
                short = pc.utf8_slice_codeunits(storable.column(at), 0, 3)
                storable = storable.set_column(at, name, short)
        return storable

    replace_in_all_modules(monkeypatch, to_storable, cut)
    assert problem_within(200, "unmasked:", "values:", "verdict:", in_files=True) is not None


def test_a_verification_that_passes_everything_is_found(monkeypatch):
    monkeypatch.setattr(shoal, "verify", lambda *arguments, **options: [])
    assert problem_within(60, "verify:", in_files=True) is not None


def test_a_file_that_is_left_behind_is_found(monkeypatch):
    monkeypatch.setattr(Path, "unlink", lambda self, missing_ok=False: None)
    assert problem_within(60, "left behind:", in_files=True) is not None


def test_a_traceback_is_found(monkeypatch):
    def planted(frame, columns):
        raise StopIteration

    monkeypatch.setattr(tables, "missing_counts", planted)
    assert problem_within(20, "traceback:") is not None
    assert problem_within(20, "traceback:", in_files=True) is not None
