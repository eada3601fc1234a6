"""Formulas of regression models as design matrices; only known functions are evaluated."""

import ast
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.errors import MissingDependency, ParameterError
from shoal.frame.conversion import model_frame
from shoal.metrics._array_types import Labels, Mask, Matrix, Values
from shoal.metrics.analyses._column_pairs import SIDES, ColumnPair, Side
from shoal.metrics.analyses._setting import AnalysisSetting

FUNCTIONS = ("C", "I", "bs", "center", "exp", "log", "log10", "log2", "poly", "scale")
_ACCEPTED_NODES = (
    ast.Expression, ast.Call, ast.Name, ast.Load, ast.Constant, ast.keyword, ast.BinOp, ast.UnaryOp,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.UAdd, ast.USub,
)  # fmt: skip
_QUOTED_NAME = re.compile(r"`[^`]*`")


@dataclass(frozen=True, eq=False)
class Design:
    """Response and design matrix of one table.

    Parameters
    ----------
    y : ndarray of shape (n_complete,)
        The response; two categories become 0 and 1.
    X : ndarray of shape (n_complete, n_terms)
        The columns of the model.
    rows : ndarray of shape (n_complete,)
        Positions of the records without a missing value in a column of the formula.
    """

    y: Values
    X: Matrix
    rows: Labels


@dataclass(frozen=True, eq=False)
class Designs:
    """Designs of both tables with the same terms.

    Parameters
    ----------
    terms : tuple of str
        Names of the columns of the model.
    by_side : dict of str to Design
        Design of each table.
    is_binary : bool
        Whether the response has two values, so that the model is a logistic regression.
    """

    terms: tuple[str, ...]
    by_side: dict[Side, Design]
    is_binary: bool


def parse_formula(formula: str) -> Any:
    """Return the parsed formula; refuse a formula that does more than state a model.

    A formula may come from a file, and its function calls are executed. Therefore only the
    functions in `FUNCTIONS` are accepted, with columns, numbers and arithmetic as arguments.
    """
    try:
        from formulaic import Formula
        from formulaic.errors import FormulaicError
    except ImportError:
        raise MissingDependency(
            "Formulas need the package formulaic: pip install 'shoal[formulas]'.",
            code="package-missing",
            extra="formulas",
        ) from None
    try:
        parsed = Formula(formula)
        response_terms, predictor_terms = list(parsed.lhs), list(parsed.rhs)
        factors = [
            factor for term in [*response_terms, *predictor_terms] for factor in term.factors
        ]
        is_accepted = all(map(_is_accepted, factors))
    except (FormulaicError, AttributeError, SyntaxError, TypeError):
        is_accepted, response_terms = False, []
    if not is_accepted or len(response_terms) != 1:
        raise ParameterError(
            "A `formula` must have one response and terms, such as wage ~ education +"
            f" log(experience). Accepted functions: {', '.join(FUNCTIONS)}.",
            code="formula-not-accepted",
            formula=formula,
        )
    return parsed


def formula_columns(formulas: list[str]) -> list[str]:
    """Return the columns that formulas use, in alphabetical order."""
    names: set[str] = set()
    for formula in formulas:
        parsed = parse_formula(formula)
        for term in [*parsed.lhs, *parsed.rhs]:
            for factor in term.factors:
                names |= _factor_columns(factor)
    return sorted(names)


def build_designs(setting: AnalysisSetting, formula: str) -> Designs | str:
    """Return the designs of both tables, or the reason why there are none.

    Both tables are evaluated together, so that transformations and categories are the same. The
    reference category of a column occurs in both tables if there is such a category.
    """
    parsed = parse_formula(formula)
    pairs = [setting.pairs[name] for name in formula_columns([formula])]
    rows = {
        side: np.flatnonzero(_has_all_values(pairs, setting.size(side), side)) for side in SIDES
    }
    if not all(map(len, rows.values())):
        return "no record has a value in all of its columns."
    table = _stack_tables(pairs, rows)
    response = _read_response(setting, str(next(iter(parsed.lhs))), rows)
    if response is None:
        return "the response must be a number or have two categories."
    y, is_binary = response
    try:
        if y is None:
            y = _design_matrix(parsed.lhs, table)[1][:, -1]
        terms, X = _design_matrix(parsed.rhs, table)
    except _evaluation_errors():
        return "it cannot be evaluated on these columns."
    n = len(rows["original"])
    designs: dict[Side, Design] = {}
    for side, table_rows in zip(SIDES, (slice(0, n), slice(n, None)), strict=True):
        is_finite = np.isfinite(X[table_rows]).all(axis=1) & np.isfinite(y[table_rows])
        designs[side] = Design(
            y[table_rows][is_finite], X[table_rows][is_finite], rows[side][is_finite]
        )
    return Designs(terms, designs, is_binary)


def _is_accepted(factor: Any) -> bool:
    """Return whether a factor is a column, or arithmetic and known functions of columns."""
    if factor.eval_method.value == "lookup":
        return True
    tree = ast.parse(_QUOTED_NAME.sub("column", factor.expr), mode="eval")
    nodes = list(ast.walk(tree))
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return all(isinstance(node, _ACCEPTED_NODES) for node in nodes) and all(
        isinstance(function, ast.Name) and function.id in FUNCTIONS for function in calls
    )


def _factor_columns(factor: Any) -> set[str]:
    """Return the columns in a factor, which is either a column or a function of columns."""
    if factor.eval_method.value == "lookup":
        return {str(factor.expr)}
    quoted = {name.strip("`") for name in _QUOTED_NAME.findall(factor.expr)}
    nodes = list(ast.walk(ast.parse(_QUOTED_NAME.sub("1", factor.expr), mode="eval")))
    functions = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    names = [node for node in nodes if isinstance(node, ast.Name) and id(node) not in functions]
    return quoted | {node.id for node in names}


def _evaluation_errors() -> tuple[type[Exception], ...]:
    from formulaic.errors import FormulaicError

    return (FormulaicError, TypeError, ValueError, ArithmeticError, KeyError, IndexError)


def _has_all_values(pairs: list[ColumnPair], n_records: int, side: Side) -> Mask:
    """Return which records of a table have a value in every column of ``pairs``."""
    has_values = np.ones(n_records, bool)
    for pair in pairs:
        has_values &= ~pair.is_missing(side)
    return has_values


def _stack_tables(pairs: list[ColumnPair], rows: dict[Side, Labels]) -> Any:
    """Return a data frame with the records of both tables, one table after the other.

    Categories that occur in both tables come first, because the first category is the reference.
    """
    numbers, categories = {}, {}
    for pair in pairs:
        table_values: list[Any] = [pair.values_of(side)[rows[side]] for side in SIDES]
        values = np.concatenate(table_values)
        if pair.is_quantitative:
            numbers[pair.name] = values
            continue
        in_both_tables = set(np.intersect1d(*table_values).tolist())
        ordered_codes = sorted(
            np.unique(values).tolist(),
            key=lambda code: (code not in in_both_tables, pair.labels[code]),
        )
        position_of_code = np.zeros(pair.n_categories, np.int64)
        position_of_code[ordered_codes] = np.arange(len(ordered_codes))
        ordered_labels = [pair.labels[code] for code in ordered_codes]
        categories[pair.name] = (position_of_code[values], ordered_labels)
    return model_frame(numbers, categories)


def _read_response(
    setting: AnalysisSetting, name: str, rows: dict[Side, Labels]
) -> tuple[Values | None, bool] | None:
    """Return the values of a binary response as 0 and 1, and whether it is binary.

    The values are None if the response is a number or an expression, which must be evaluated. The
    result is None if the response is a categorical column that does not have two categories.
    """
    pair = setting.pairs.get(name.strip("`"))
    if pair is None:
        return None, False
    table_values: list[Any] = [pair.values_of(side)[rows[side]] for side in SIDES]
    values = np.unique(table_values[0])
    if pair.is_quantitative:
        if values.tolist() == [0, 1] and np.isin(table_values[1], values).all():
            return np.concatenate(table_values), True
        return None, False
    if len(values) != 2 or not np.isin(table_values[1], values).all():
        return None
    success = max(values.tolist(), key=lambda code: pair.labels[code])
    return (np.concatenate(table_values) == success).astype(np.float64), True


def _design_matrix(formula: Any, table: Any) -> tuple[tuple[str, ...], Matrix]:
    """Return the names of the terms of one side of a formula, and their values."""
    from formulaic import ModelSpec

    with np.errstate(all="ignore"):
        model_matrix = ModelSpec(
            formula=formula, na_action="ignore", output="pandas"
        ).get_model_matrix(table, context={})
    return tuple(map(str, model_matrix.columns)), np.asarray(model_matrix, np.float64)
