"""The results of analyses: figures, tables and remarks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from shoal._text import align_rows
from shoal.metrics.evaluation.results_by_name import ResultsByName
from shoal.metrics.limits.figure_names import WORST_GROUP_SUFFIX
from shoal.metrics.subgroups import Subgroups

MAX_SHOWN_ESTIMATES = 15  # estimates by group that the text shows


class FigureInfo(NamedTuple):
    """The analysis that computes a figure, which values are better, and what it measures."""

    analysis: str
    better: Literal["lower", "higher"]
    meaning: str


FIGURES: dict[str, FigureInfo] = {
    "pmse_ratio": FigureInfo("propensity", "lower", "largest pMSE ratio of the models"),
    "pmse_ratio_logistic": FigureInfo("propensity", "lower", "pMSE ratio of the logistic model"),
    "pmse_ratio_tree": FigureInfo("propensity", "lower", "pMSE ratio of the tree"),
    "pmse_logistic": FigureInfo("propensity", "lower", "pMSE of the logistic model"),
    "pmse_tree": FigureInfo("propensity", "lower", "pMSE of the tree"),
    "prediction_loss": FigureInfo(
        "prediction", "lower", "largest loss of a score by training on masked records"
    ),
    "prediction_loss_linear": FigureInfo(
        "prediction", "lower", "largest loss of the score of a linear model"
    ),
    "prediction_loss_forest": FigureInfo(
        "prediction", "lower", "largest loss of the score of a random forest"
    ),
    "ci_overlap": FigureInfo(
        "regression", "higher", "smallest overlap of the confidence intervals of a coefficient"
    ),
    "ci_overlap_mean": FigureInfo("regression", "higher", "mean overlap over the coefficients"),
    "coefficient_shift": FigureInfo(
        "regression", "lower", "largest change of a coefficient, in standard errors"
    ),
    "conclusions_changed": FigureInfo(
        "regression", "lower", "share of coefficients whose sign or significance changes"
    ),
    "range_count_error": FigureInfo("range-counts", "lower", "mean relative error of range counts"),
    "range_count_error_95": FigureInfo(
        "range-counts", "lower", "95 % quantile of the relative errors of range counts"
    ),
    "group_count_error": FigureInfo("group-by", "lower", "mean relative error of group counts"),
    "group_mean_error": FigureInfo(
        "group-by", "lower", "mean error of group means, in standard deviations"
    ),
    "groups_lost": FigureInfo("group-by", "lower", "share of groups without a masked record"),
    "total_error": FigureInfo("estimates", "lower", "largest relative error of a total"),
    "mean_error": FigureInfo(
        "estimates", "lower", "largest error of a mean, in standard deviations"
    ),
    "median_error": FigureInfo(
        "estimates", "lower", "largest error of a median, in standard deviations"
    ),
    "quantile_error": FigureInfo(
        "estimates", "lower", "largest error of a quantile, in standard deviations"
    ),
    "gini_error": FigureInfo("estimates", "lower", "largest absolute error of a Gini coefficient"),
    "table_error": FigureInfo(
        "estimates", "lower", "largest total variation distance of a table of categories"
    ),
}


@dataclass(frozen=True)
class AnalysisResult:
    """Result of one kind of analysis.

    Parameters
    ----------
    name : str
        Name in `shoal.metrics.analyses.ANALYSES`.
    figures : dict of str to float
        Numbers by name; see `Utility`.
    rows : tuple of dict
        Table of details, with the same keys in each row.
    remarks : tuple of str
        Sentences that readers need besides the figures.
    hidden : tuple of str
        Keys of the rows that the text leaves out.
    years : tuple of str
        Columns whose numbers seem to be years, and therefore have no thousands separator in the
        text.
    """

    name: str
    figures: dict[str, float]
    rows: tuple[dict[str, Any], ...]
    remarks: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    years: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "analysis": self.name,
            "figures": self.figures,
            "rows": list(self.rows),
            "remarks": list(self.remarks),
        }

    def cells(self) -> dict[str, Any]:
        """Return the ``headings`` of the table and the ``cells`` of its rows, as text."""
        visible = [key for key in self.rows[0] if key not in self.hidden]
        keys = [key for key in visible if any(row[key] is not None for row in self.rows)]
        return {
            "headings": keys,
            "cells": [[self._cell(row, key) for key in keys] for row in self.rows],
        }

    def _cell(self, row: Mapping[str, Any], key: str) -> str:
        text = format_cell(row[key])
        is_year = row.get("column") in self.years and row.get("estimate") != "total"
        return text.replace(",", "") if is_year and isinstance(row[key], float) else text

    def __str__(self) -> str:
        table = self.cells()
        return "\n".join(
            [self.name, align_rows([table["headings"], *table["cells"]]), *self.remarks]
        )


class Utility(ResultsByName[AnalysisResult]):
    """Results of the same analyses of the original and the masked table, by name.

    ``figures()`` returns the figures below that were computed, by name, so that limits can be set
    on them. With ``by``, each figure has a second one with the suffix ``_worst_group``.

    ========================== ===================================================================
    ``pmse_ratio``             largest pMSE ratio of the models; lower is better, 1 is a new sample
    ``pmse_ratio_logistic``    pMSE ratio of the logistic model
    ``pmse_ratio_tree``        pMSE ratio of the tree
    ``pmse_logistic``          pMSE of the logistic model, from 0 to 0.25 for equally long tables
    ``pmse_tree``              pMSE of the tree
    ``prediction_loss``        largest loss of a score by training on masked records
    ``prediction_loss_linear`` largest loss of the score of a linear model
    ``prediction_loss_forest`` largest loss of the score of a random forest
    ``ci_overlap``             smallest overlap of confidence intervals, 0 to 1; higher is better
    ``ci_overlap_mean``        mean overlap over the coefficients
    ``coefficient_shift``      largest change of a coefficient, in standard errors
    ``conclusions_changed``    share of the coefficients whose sign or significance changes
    ``range_count_error``      mean relative error of range counts
    ``range_count_error_95``   95 % quantile of the relative errors of range counts
    ``group_count_error``      mean relative error of group counts
    ``group_mean_error``       mean error of group means, in standard deviations
    ``groups_lost``            share of the groups without a masked record
    ``total_error``            largest relative error of a total
    ``mean_error``             largest error of a mean, in standard deviations
    ``median_error``           largest error of a median, in standard deviations
    ``quantile_error``         largest error of a quantile, in standard deviations
    ``gini_error``             largest absolute error of a Gini coefficient
    ``table_error``            largest total variation distance of a table of categories
    ========================== ===================================================================

    Parameters
    ----------
    results : list of AnalysisResult
        The analyses that were carried out.
    not_run : mapping of str to str
        Why other analyses were not carried out, by name.
    records : int
        Number of records of the original.
    seed : int
        Seed of all random numbers.
    remarks : tuple of str
        Sentences that apply to all analyses, for example on columns that were left out.
    groups : Subgroups, optional
        The figures of each subgroup.
    """

    def __init__(
        self,
        results: list[AnalysisResult],
        not_run: Mapping[str, str],
        *,
        records: int,
        seed: int,
        remarks: tuple[str, ...] = (),
        groups: Subgroups | None = None,
    ):
        super().__init__(results, not_run)
        self.records = records
        self.seed = seed
        self.remarks = remarks
        self.groups = groups

    def figures(self) -> dict[str, float]:
        """Return all figures by name, including the figures of the worst-off groups."""
        all_figures = {
            name: value for result in self.results for name, value in result.figures.items()
        }
        ordered = {name: float(all_figures[name]) for name in FIGURES if name in all_figures}
        return ordered | ({} if self.groups is None else self.groups.worst_figures())

    def reasons(self) -> dict[str, str]:
        """Return why figures were not computed, by name."""
        computed = self.figures()
        reasons = {
            name: self.not_run.get(info.analysis, "Not computed on these columns.")
            for name, info in FIGURES.items()
            if name not in computed and (info.analysis in self.not_run or info.analysis in self)
        }
        if self.groups is None:
            reasons |= {
                f"{name}{WORST_GROUP_SUFFIX}": "Needs columns of subgroups." for name in FIGURES
            }
        return reasons

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data."""
        return {
            "records": self.records,
            "seed": int(self.seed),
            "figures": self.figures(),
            "analyses": [result.to_dict() for result in self.results],
            "groups": None if self.groups is None else self._groups_to_dict(),
            "not_run": self.not_run,
            "remarks": list(self.remarks),
        }

    def _groups_to_dict(self) -> dict[str, Any]:
        """Return the figures by group, with the survey estimates of each group."""
        assert self.groups is not None
        pairs = zip(self.groups.split.groups, self.groups.results, strict=True)
        tables = {
            group.label: list(result["estimates"].rows)
            for group, result in pairs
            if "estimates" in result
        }
        return {**self.groups.to_dict(), "estimates": tables}

    def _estimates_by_group(self) -> str:
        """Return the estimates by group with the largest errors, as text."""
        tables = {} if self.groups is None else self._groups_to_dict()["estimates"]
        rows = [
            {"group": label, **row}
            for label, table in tables.items()
            for row in table
            if row["error"] is not None
        ]
        if not rows:
            return ""
        rows.sort(key=lambda row: -row["error"])
        remarks: tuple[str, ...] = ()
        if len(rows) > MAX_SHOWN_ESTIMATES:
            remarks = (f"The largest {MAX_SHOWN_ESTIMATES} of {len(rows):,} errors.",)
        shown_rows = tuple(rows[:MAX_SHOWN_ESTIMATES])
        whole_table = self.get("estimates")
        years, hidden = ((), ()) if whole_table is None else (whole_table.years, whole_table.hidden)
        return str(AnalysisResult("estimates by group", {}, shown_rows, remarks, hidden, years))

    def _repr_html_(self) -> str:
        """Return the results for a notebook."""
        from shoal.report.notebook import utility_html  # see docs/architecture.md

        return utility_html(self)

    def __repr__(self) -> str:
        rows = [["figure", "value", "meaning"]]
        for name, value in self.figures().items():
            if name in FIGURES:
                info = FIGURES[name]
                rows.append([name, format_cell(value), f"{info.meaning}; {info.better} is better"])
        blocks = [align_rows(rows)] if len(rows) > 1 else []
        if self.groups is not None:
            blocks += filter(None, [str(self.groups), self._estimates_by_group()])
        blocks += map(str, self.results)
        notes = [f"{name}: not run. {reason}" for name, reason in self.not_run.items()]
        notes += self.remarks
        return "\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])])


def format_cell(value: Any) -> str:
    """Return a value as the text of a cell.

    Examples
    --------
    >>> [format_cell(value) for value in (0.123456, None, 12345.6, True, [-1.5, 2.25])]
    ['0.1235', '-', '12,346', 'yes', '-1.5 to 2.25']
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return " to ".join(map(format_cell, value))
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e3 <= abs(value) < 1e12 else f"{value:.4g}"
    return str(value)
