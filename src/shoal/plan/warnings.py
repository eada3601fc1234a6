"""Findings of the run itself, and the findings that are also Python warnings."""

import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.errors import (
    CellsSuppressed,
    ConstantColumn,
    FormulaCells,
    HomogeneousGroup,
    KindInferred,
    MissingValues,
    NoGuarantee,
    RevealingOrder,
    SearchUnfinished,
    ShoalWarning,
    StrataMerged,
    UnderProtection,
    UnprotectedColumn,
    ValuesGeneralised,
)
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.partitioners import method_label
from shoal.plan.verdict import Finding, Verdict
from shoal.steps import StepResult

if TYPE_CHECKING:
    from shoal.plan import Plan

# The findings that are also Python warnings, by code.
WARNING_CLASSES: dict[str, type[ShoalWarning]] = {
    "kind-inferred": KindInferred,
    "missing-codes": MissingValues,
    "missing-values": MissingValues,
    "released-index": UnprotectedColumn,
    "unprotected-column": UnprotectedColumn,
    "released-weights": UnprotectedColumn,
    "constant-column": ConstantColumn,
    "cells-suppressed": CellsSuppressed,
    "values-generalised": ValuesGeneralised,
    "strata-merged": StrataMerged,
    "revealing-order": RevealingOrder,
    "unfinished": SearchUnfinished,
    "no-k-guarantee": NoGuarantee,
    "joint-class-below-k": UnderProtection,
    "homogeneous-group": HomogeneousGroup,
    "formula-cells": FormulaCells,
}


def run_findings(
    plan: "Plan", all_records: Frame, is_complete: NDArray[np.bool_], results: Sequence[StepResult]
) -> list[Finding]:
    """Return the findings of a run that masked the complete records among ``all_records``."""
    step_warnings = [warning for result in results for warning in result.warnings]
    return [
        *_dropped_records(plan, all_records, is_complete),
        *_index_finding(all_records),
        *map(as_finding, step_warnings),
        *_unfinished_searches(results),
    ]


def as_finding(warning: ShoalWarning) -> Finding:
    """Return a warning of a step as a finding that informs."""
    columns, figures = (warning.attributes.get(name, ()) for name in ("columns", "figures"))
    return Finding(warning.code, "informs", str(warning), dict(figures), tuple(columns))


def python_warnings(verdict: Verdict) -> list[ShoalWarning]:
    """Return the findings that are also Python warnings, in the order of `WARNING_CLASSES`."""
    return [
        warning_class(f"{finding.sentence} {finding.way_out}".rstrip(), columns=finding.columns)
        for code, warning_class in WARNING_CLASSES.items()
        for finding in verdict.findings
        if finding.code == code
    ]


def warn(verdict: Verdict) -> tuple[str, ...]:
    """Issue the findings that are also Python warnings; return their sentences."""
    issued_warnings = python_warnings(verdict)
    for warning in issued_warnings:
        warnings.warn(warning, stacklevel=_level_of_caller())
    return tuple(str(warning) for warning in issued_warnings)


def _level_of_caller() -> int:
    """Return the ``stacklevel`` that attributes a warning to the caller of the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("shoal."):
        level, frame = level + 1, frame.f_back
    return level


def _dropped_records(plan: "Plan", frame: Frame, is_complete: NDArray[np.bool_]) -> list[Finding]:
    if is_complete.all():
        return []
    number = int((~is_complete).sum())
    counts = tables.missing_counts(frame, plan.required_columns)
    missing = ", ".join(f"{name!r} {count}" for name, count in counts.items())
    verb = "was" if number == 1 else "were"
    return [
        Finding(
            "missing-values",
            "informs",
            f"{number:,} of {len(is_complete):,} records {verb} dropped because values are missing:"
            f" {missing}.",
            {"dropped": number, "missing": dict(counts)},
            tuple(counts),
        )
    ]


def _index_finding(frame: Frame) -> list[Finding]:
    if not tables.has_own_index(frame):
        return []
    return [
        Finding(
            "released-index",
            "qualifies",
            "The index is released unchanged.",
            way_out="If it identifies records, drop it first: data.reset_index(drop=True).",
        )
    ]


def _unfinished_searches(results: Sequence[StepResult]) -> list[Finding]:
    """Return findings on searches limited by time, whose groups the plan may not reproduce."""
    reasons = [
        f"{method_label(partitioner)} was interrupted and returned the best groups until then."
        if partitioner.cut_short_
        else f"{method_label(partitioner)} searched for a limited time and did not prove its groups"
        " optimal."
        for result in results
        for partitioner in result.fitted_partitioners
        if partitioner.cut_short_ or partitioner.depends_on_time_
    ]
    return [
        Finding("unfinished", "informs", f"{reason} Running the plan again may give other groups.")
        for reason in dict.fromkeys(reasons)
    ]
