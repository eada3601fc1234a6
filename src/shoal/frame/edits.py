"""Edits: linear rules that the records of a table obey, such as ``total == a + b``."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.frame import tables
from shoal.frame.tables import Frame

TOLERANCE = 1e-9  # relative to the sum of the magnitudes of an edit's terms
COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.LtE: "<=", ast.GtE: ">=", ast.Lt: "<", ast.Gt: ">",
}  # fmt: skip
_QUOTED_NAME = re.compile(r"`([^`]+)`")
_CONSTANT = ""  # key of the constant term; no column has this name

Terms = dict[str, float]


@dataclass(frozen=True)
class Edit:
    """A linear rule: a weighted sum of columns and a constant, compared with 0.

    Parameters
    ----------
    text : str
        The rule as it was written.
    coefficients : mapping of str to float
        The coefficient of each column, once all terms are on the left side.
    constant : float
        The constant on the left side.
    comparison : str
        How the left side compares with 0: ``"=="``, ``"<="``, ``">="``, ``"<"`` or ``">"``.
    """

    text: str
    coefficients: Mapping[str, float]
    constant: float
    comparison: str

    @property
    def columns(self) -> list[str]:
        """The columns that the rule is about."""
        return list(self.coefficients)

    def violations(self, frame: Frame) -> NDArray[np.bool_]:
        """Return a mask of the records that break the rule.

        A record without a value in one of the columns breaks no rule. Sides that differ
        only by rounding are equal.
        """
        total = np.full(len(frame), self.constant)
        magnitude = np.abs(total)
        for name, coefficient in self.coefficients.items():
            term = coefficient * tables.numbers(frame, name)
            total = total + term
            magnitude = magnitude + np.abs(term)
        tolerance = TOLERANCE * magnitude
        broken: Mapping[str, Callable[[], Any]] = {
            "==": lambda: np.abs(total) > tolerance,
            "<=": lambda: total > tolerance,
            ">=": lambda: total < -tolerance,
            "<": lambda: total >= -tolerance,
            ">": lambda: total <= tolerance,
        }
        with np.errstate(invalid="ignore"):
            return np.asarray(broken[self.comparison]() & ~np.isnan(total))


def as_edits(rules: object) -> tuple[Edit, ...]:
    """Return the edits of a plan from their texts.

    Examples
    --------
    >>> (edit,) = as_edits(["turnover >= 2 * exports + 1"])
    >>> edit.coefficients, edit.constant, edit.comparison
    ({'turnover': 1.0, 'exports': -2.0}, -1.0, '>=')
    """
    if isinstance(rules, str) or not isinstance(rules, Sequence):
        raise PlanError(
            'The edits of a plan are a list of texts, such as ["turnover >= exports"].',
            code="edits-no-list",
        )
    return tuple(edit if isinstance(edit, Edit) else parse_edit(edit) for edit in rules)


def parse_edit(text: object) -> Edit:
    """Return the rule that a text states; names that are no Python names are in backquotes."""
    if not isinstance(text, str):
        raise PlanError("An edit is a text, such as 'age >= 0'.", code="edit-unreadable")
    quoted: dict[str, str] = {}

    def placeholder(match: re.Match[str]) -> str:
        name = f"quoted_name_{len(quoted)}_"
        quoted[name] = match[1]
        return f" {name} "

    try:
        tree = ast.parse(_QUOTED_NAME.sub(placeholder, text).strip(), mode="eval").body
        if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
            raise ValueError("an edit compares two sides once")
        comparison = COMPARISONS.get(type(tree.ops[0]))
        if comparison is None:
            raise ValueError("an edit compares by ==, <=, >=, < or >")
        terms = _combine(_terms(tree.left, quoted), _terms(tree.comparators[0], quoted), -1.0)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = str(error) if type(error) is ValueError else "it is not a comparison"
        raise PlanError(
            f"The edit {text!r} cannot be read: {reason}. An edit compares sums of columns, each"
            " with a number as factor, such as 'turnover >= exports' or 'total == a + 2 * b'.",
            code="edit-unreadable",
            edit=text,
        ) from None
    constant = terms.pop(_CONSTANT, 0.0)
    coefficients = {name: factor for name, factor in terms.items() if factor}
    if not coefficients or not np.isfinite([constant, *coefficients.values()]).all():
        raise PlanError(
            f"The edit {text!r} involves no column, or a number that is not finite. Correct it, or"
            " leave it out.",
            code="edit-without-columns",
            edit=text,
        )
    return Edit(text, coefficients, constant, comparison)


def _terms(node: ast.expr, quoted: Mapping[str, str]) -> Terms:
    """Return the coefficients of the columns on one side of a comparison."""
    if isinstance(node, ast.Name):
        return {quoted.get(node.id, node.id): 1.0}
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return {_CONSTANT: float(node.value)}  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
        return _combine({}, _terms(node.operand, quoted), sign)
    if isinstance(node, ast.BinOp):
        left, right = _terms(node.left, quoted), _terms(node.right, quoted)
        if isinstance(node.op, ast.Add | ast.Sub):
            return _combine(left, right, 1.0 if isinstance(node.op, ast.Add) else -1.0)
        if isinstance(node.op, ast.Mult):
            factor, other_terms = (left, right) if set(left) == {_CONSTANT} else (right, left)
            if set(factor) == {_CONSTANT}:
                return _combine({}, other_terms, factor[_CONSTANT])
        if isinstance(node.op, ast.Div) and set(right) == {_CONSTANT} and right[_CONSTANT]:
            return {name: value / right[_CONSTANT] for name, value in left.items()}
    raise ValueError("columns can be added, subtracted and multiplied by numbers only")


def _combine(first: Terms, second: Terms, factor: float) -> Terms:
    """Return the terms of one sum plus a multiple of another."""
    return first | {
        name: first.get(name, 0.0) + factor * coefficient for name, coefficient in second.items()
    }
