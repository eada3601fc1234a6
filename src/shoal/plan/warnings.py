"""The findings that are also Python warnings."""

import sys
import warnings

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
from shoal.plan.verdict import Verdict

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
