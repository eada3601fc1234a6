"""Edits, the rules that records obey, and which of them masking breaks."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal._text import count, join_names
from shoal.errors import InputError
from shoal.frame.edits import Edit
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame
from shoal.plan.evidence import Evidence
from shoal.plan.verdict import Finding

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

WAY_OUT = (
    "Mask the columns of an edit in one step and one block by means, without rounding, or compute"
    " one of them from the others after the release."
)


def find_broken_edits(evidence: Evidence) -> list[Finding]:
    """Find edits that records of the release break, and edits that the original breaks already."""
    plan = evidence.plan
    findings = []
    for edit in plan.edits:
        absent = [name for name in edit.columns if name not in evidence.released.columns]
        if absent:
            findings.append(
                Finding(
                    "edit-not-checked",
                    "informs",
                    f"The edit {edit.text!r} was not checked: {name_columns(absent)}"
                    f" {'is' if len(absent) == 1 else 'are'} not released.",
                    columns=tuple(absent),
                )
            )
            continue
        original_violations = (
            None if evidence.original is None else edit.violations(evidence.original)
        )
        n_newly_broken = int(newly_broken(edit, evidence.released, original_violations).sum())
        if n_newly_broken:
            has_original = original_violations is not None
            findings.append(_broken_edit(plan, edit, n_newly_broken, has_original=has_original))
        n_broken_before = 0 if original_violations is None else int(original_violations.sum())
        if n_broken_before:
            findings.append(
                Finding(
                    "edit-violated-before",
                    "informs",
                    f"{_violation_clause(n_broken_before, 'original', edit)}.",
                    {"records": n_broken_before},
                    tuple(edit.columns),
                )
            )
    return findings


def newly_broken(
    edit: Edit, released: Frame, original_violations: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    """Return a mask of the released records that break an edit and did not in the original."""
    released_violations = edit.violations(released)
    return (
        released_violations
        if original_violations is None
        else released_violations & ~original_violations
    )


def refuse_broken_edits(plan: "Plan", original: Frame, released: Frame) -> None:
    """Refuse a release that breaks an edit, if the plan requires it."""
    if plan.repair is None:
        return
    for edit in plan.edits:
        if not set(edit.columns) <= set(released.columns):
            continue
        n_records = int(newly_broken(edit, released, edit.violations(original)).sum())
        if n_records:
            finding = _broken_edit(plan, edit, n_records, has_original=True)
            raise InputError(
                f"{finding.sentence} {WAY_OUT} Nothing was released.",
                code="edit-broken",
                edit=edit.text,
                records=n_records,
            )


def _broken_edit(plan: "Plan", edit: Edit, n_records: int, *, has_original: bool) -> Finding:
    """Return the finding on an edit that ``n_records`` of the release break."""
    steps = [
        f"step {i} ({step.name})"
        for i, step in enumerate(plan.steps, start=1)
        if set(step.columns) & set(edit.columns)
    ]
    step_sentence = f" Its columns are masked by {join_names(steps)}." if steps else ""
    newly_clause = ", and did not before masking" if has_original else ""
    return Finding(
        "edit-broken",
        "qualifies",
        f"{_violation_clause(n_records, 'release', edit)}{newly_clause}.{step_sentence}",
        {"records": n_records},
        tuple(edit.columns),
        WAY_OUT,
    )


def _violation_clause(n_records: int, table: str, edit: Edit) -> str:
    """Return how many records of a table break an edit, as a clause."""
    verb = "breaks" if n_records == 1 else "break"
    return f"{count(n_records, 'record')} of the {table} {verb} the edit {edit.text!r}"
