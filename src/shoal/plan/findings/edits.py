"""Edits, the rules that records obey: those that masking breaks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
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
    """Count the records that break an edit, in the original and in the release."""
    plan, findings = evidence.plan, []
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
        newly_violated = newly_broken(edit, evidence.released, original_violations)
        if newly_violated.any():
            findings.append(
                _broken_edit(
                    plan,
                    edit,
                    int(newly_violated.sum()),
                    has_original=original_violations is not None,
                )
            )
        if original_violations is not None and original_violations.any():
            findings.append(
                Finding(
                    "edit-violated-before",
                    "informs",
                    f"{_violations(int(original_violations.sum()), 'original', edit)}.",
                    {"records": int(original_violations.sum())},
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
        number = int(newly_broken(edit, released, edit.violations(original)).sum())
        if number:
            finding = _broken_edit(plan, edit, number, has_original=True)
            raise InputError(
                f"{finding.sentence} {WAY_OUT} Nothing was released.",
                code="edit-broken",
                edit=edit.text,
                records=number,
            )


def _broken_edit(plan: "Plan", edit: Edit, number: int, *, has_original: bool) -> Finding:
    steps = [
        f"step {i} ({step.name})"
        for i, step in enumerate(plan.steps, start=1)
        if set(step.columns) & set(edit.columns)
    ]
    step_clause = f" Its columns are masked by {_join_with_and(steps)}." if steps else ""
    newly_clause = ", and did not before masking" if has_original else ""
    return Finding(
        "edit-broken",
        "qualifies",
        f"{_violations(number, 'release', edit)}{newly_clause}.{step_clause}",
        {"records": number},
        tuple(edit.columns),
        WAY_OUT,
    )


def _violations(number: int, table: str, edit: Edit) -> str:
    """Return how many records of a table break an edit, as a clause."""
    verb = "breaks" if number == 1 else "break"
    return f"{count(number, 'record')} of the {table} {verb} the edit {edit.text!r}"


def _join_with_and(phrases: Sequence[str]) -> str:
    return " and ".join([", ".join(phrases[:-1]), phrases[-1]] if len(phrases) > 1 else phrases)
