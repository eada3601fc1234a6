"""A method for data-oriented multivariate microaggregation: Tables 1 to 4, Figures 1 and 2."""

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np

from reproduction.page import Key, Page, Section, Table
from reproduction.runs import Matrix, group_labels, group_means, reference_table
from reproduction.ward_mwa import claims, growth, notes, published
from reproduction.ward_mwa.published import METHODS
from reproduction.ward_mwa.shuffles import shuffle_table
from shoal.datasets import COLUMNS
from shoal.metrics import correlation_change, first_principal_component, information_loss, std_ratio
from shoal.steps.microaggregation.aggregates import group_mean

KS = (3, 4, 5)
K = 3  # the k of Tables 2 to 4
DIRECTIONS = {"ascending": False, "descending": True}

# V7 to V11 of Tables 2 and 3 are other columns than those the text of the paper names.
VARIABLES = {
    f"V{number}": COLUMNS["tarragona"].index(name)
    for number, name in enumerate(
        (
            *("FIXED.ASSETS", "CURRENT.ASSETS", "TREASURY", "UNCOMMITTED.FUNDS"),
            *("PAID.UP.CAPITAL", "SHORT.TERM.DEBT", "DEPRECIATION", "FINANCIAL.OUTCOME"),
            *("LABOR.COSTS", "SALES", "OPERATING.PROFIT", "GROSS.PROFIT", "NET.PROFIT"),
        ),
        1,
    )
}

PAGE = Page(
    "ward-mwa",
    "A method for data-oriented multivariate microaggregation",
    "J. M. Mateo-Sanz and J. Domingo-Ferrer (1999). Statistical Data Protection, 89-99. Office for"
    " Official Publications of the European Communities.",
    "Tarragona, 834 companies. FS sorts the records by one score and cuts blocks of k: method"
    " `sorted`. MWA is the modified Ward algorithm: method `mward`. The subscript names the score:"
    " first principal component (FPC; FS takes its loadings rounded to three decimals, which the"
    " printed figures need), sum of z-scores (SZ), a particular variable (PV), individual ranking"
    " of each column on its own (I), or the two most distant records (MD).",
)


@cache
def release(method: str, k: int, direction: str = "ascending", column: int | None = None) -> Matrix:
    """Return Tarragona as one of the methods of the paper masks it."""
    Z = reference_table("tarragona")
    name, score = method.split("_")
    is_descending = DIRECTIONS[direction]
    by = {"FPC": "first-component", "SZ": "sum-of-z", "PV": column, "I": 0, "MD": "max-distance"}
    options = {"FS": {"by": by[score]}, "MWA": {"start": by[score]}}[name]
    if (name, score) == ("FS", "FPC"):
        options["loadings"] = "rounded"
    method = {"FS": "sorted", "MWA": "mward"}[name]
    if score == "I":
        return np.column_stack(
            [
                group_mean(
                    values,
                    group_labels(values[:, None], method, k, descending=is_descending, **options),
                )
                for values in Z.T
            ]
        )
    return group_means(Z, group_labels(Z, method, k, descending=is_descending, **options))


def loss(method: str, k: int, direction: str = "ascending", column: int | None = None) -> float:
    """Return the information loss of one of the methods of the paper."""
    return float(
        information_loss(reference_table("tarragona"), release(method, k, direction, column))
    )


@cache
def best_variable(method: str) -> int:
    """Return the column whose sorting loses least: the PV of Tables 2 to 4."""
    return min(range(len(VARIABLES)), key=lambda column: loss(method, K, column=column))


def release_with_k_3(method: str) -> Matrix:
    """Return the masked table of Tables 2 to 4."""
    return release(method, K, column=best_variable(method) if method.endswith("PV") else None)


@cache
def losses() -> dict[Key, float]:
    """Return the information loss of every method, by the rows of Table 1."""
    ours: dict[Key, float] = {}
    for k in KS:
        for method, direction in product(("FS_FPC", "FS_SZ", "MWA_FPC", "MWA_SZ"), DIRECTIONS):
            ours[f"{method}, {direction}", f"k={k}"] = loss(method, k, direction)
        for method in ("FS_PV", "MWA_PV"):
            losses = [
                loss(method, k, direction, column)
                for direction in DIRECTIONS
                for column in range(13)
            ]
            ours[f"{method}, least", f"k={k}"] = min(losses)
            ours[f"{method}, greatest", f"k={k}"] = max(losses)
        losses = [loss("MWA_MD", k, direction) for direction in DIRECTIONS]
        ours["MWA_MD, least", f"k={k}"], ours["MWA_MD, greatest", f"k={k}"] = sorted(losses)
        for method in ("FS_I", "MWA_I"):
            ours[method, f"k={k}"] = loss(method, k)
    return ours


def table_1() -> Table:
    """Return the information loss of every method."""
    return Table.of(
        "Table 1: information loss, 100 SSE / SST",
        "Least and greatest are over the thirteen variables and both directions (PV), or over which"
        " of the two extreme records comes first (MD).",
        published.TABLE_1,
        losses(),
        notes.TABLE_1,
    )


def table_2() -> Table:
    """Return the standard deviations of the masked columns."""
    Z = reference_table("tarragona")
    ours: dict[Key, float] = {}
    for method in METHODS:
        ratio = std_ratio(Z, release_with_k_3(method))
        ours |= {(name, method): float(ratio[i]) for name, i in VARIABLES.items()}
    return Table.of(
        f"Table 2: standard deviations after masking, k = {K}",
        "The original has 1. PV is the variable that loses least in Table 1: uncommitted funds for"
        " FS, treasury for MWA. V7 to V11 are depreciation, financial outcome, labour costs, sales"
        " and operating profit, not what the text of the paper names: only so do the columns fit.",
        published.TABLE_2,
        ours,
        {("", method): note for method, note in notes.LATER_TABLES.items()},
    )


@cache
def first_component(method: str) -> tuple[Matrix, float]:
    """Return the loadings of the first component, V1 positive, and the share it explains."""
    Z = reference_table("tarragona")
    loadings, share = first_principal_component(
        Z if method == "original" else release_with_k_3(method)
    )
    return loadings * np.sign(loadings[0]), 100 * share


def table_3() -> Table:
    """Return the weights of the columns on the first component."""
    ours: dict[Key, float] = {}
    for method in ("original", *METHODS):
        loadings, share = first_component(method)
        ours |= {(name, method): float(loadings[i]) for name, i in VARIABLES.items()}
        ours["explained, %", method] = share
    return Table.of(
        f"Table 3: weights on the first principal component, k = {K}",
        "Eigenvector times the root of its eigenvalue, of the correlation matrix; variables as in"
        " Table 2. The last row is the share of the variation that the component explains.",
        published.TABLE_3,
        ours,
        {("", method): note for method, note in notes.LATER_TABLES.items()},
    )


def table_3_changes() -> Table:
    """Return the changes of the weights on the first component."""
    original_loadings, _ = first_component("original")
    ours: dict[Key, float] = {}
    for method in METHODS:
        change = 100 * (first_component(method)[0] / original_loadings - 1)
        ours |= {(name, method): float(change[i]) for name, i in VARIABLES.items()}
    return Table.of(
        "Table 3, in parentheses: change of the weights in per cent",
        "",
        published.TABLE_3_CHANGES,
        ours,
        {("", method): note for method, note in notes.LATER_TABLES.items()},
    )


def table_4() -> Table:
    """Return the changes of the correlations."""
    Z = reference_table("tarragona")
    ours: dict[Key, float] = {}
    for method in METHODS:
        change = correlation_change(Z, release_with_k_3(method))
        ours[method, "average"], ours[method, "deviation"] = change["mean"], change["sd"]
    return Table.of(
        f"Table 4: changes of the 78 correlations, k = {K}",
        "Average and standard deviation (by n - 1) of |r' - r|.",
        published.TABLE_4,
        ours,
        {(method, ""): note for method, note in notes.LATER_TABLES.items()},
    )


SECTIONS: tuple[Callable[[], Section], ...] = (
    growth.figure_1,
    growth.figure_2,
    table_1,
    growth.growth_table,
    shuffle_table,
    table_2,
    table_3,
    table_3_changes,
    table_4,
    lambda: claims.claims(losses(), release_with_k_3),
    claims.times,
)
