"""Tables 3 and 4, Figures 1 and 2, Examples 2 and 3: the eleven companies, masked."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from reproduction.figure import Figure, Panel, Series
from reproduction.page import Key, Table, as_printed
from reproduction.runs import Labels, Matrix, group_labels, sse, sst
from shoal import datasets
from shoal._kernels.mu_approx.forest import grow_forest
from shoal._kernels.spatial.index import open_index
from shoal.geometry import zscore
from shoal.partitioners._neighbours import nearest_others
from shoal.plan.microaggregate import microaggregate

COLUMNS = ("surface", "employees", "turnover", "net_profit")
N_QUASI_IDENTIFIERS, K, SEED = 2, 3, 0
N_SEEDS = 500

TABLE_3 = as_printed(
    " ".join(COLUMNS),
    """
    1  747.5  46  3212334  313250
    2  747.5  46  2283340  299876
    3  747.5  46  1989233  200213
    4  756.67  8  984983  143211
    5  756.67  8  194232  51233
    6  322.5  33  119332  20333
    7  322.5  33  3012444  501233
    8  322.5  33  4233312  777882
    9  756.67  8  159999  60388
    10  747.5  46  5333442  1001233
    11  322.5  33  645223  333010
    """,
)

TABLE_4 = as_printed(
    " ".join(COLUMNS),
    """
    1  753.3  50  3212334  313250
    2  753.3  50  2283340  299876
    3  830  17  1989233  200213
    4  830  17  984983  143211
    5  830  17  194232  51233
    6  360  27  119332  20333
    7  360  27  3012444  501233
    8  360  27  4233312  777882
    9  360  27  159999  60388
    10  753.3  50  5333442  1001233
    11  360  27  645223  333010
    """,
)

EXAMPLES = as_printed(
    "SSE SST SSE/SST",
    """
    optimal  7.484  22  0.34
    μ-Approx  8.682  22  0.394
    """,
)


def table_3() -> Table:
    """Return the optimum."""
    return _masked_table(
        f"Table 3: the SME example, masked with the least loss, k = {K}", TABLE_3, method="optimal"
    )


def table_4() -> Table:
    """Return the companies as the approximation masks them."""
    return _masked_table(
        f"Table 4: the SME example, masked by μ-Approx, k = {K}",
        TABLE_4,
        f"The draw is ours, with seed {SEED}: {seeds_sentence()}",
        method="mu-approx",
        random_state=SEED,
    )


@cache
def seeds_sentence() -> str:
    """Return a sentence on how many seeds give the groups of the paper."""
    Z = companies()
    sses = [sse(Z, group_labels(Z, "mu-approx", K, random_state=seed)) for seed in range(N_SEEDS)]
    n_same = sum(abs(value - sses[SEED]) < 1e-9 for value in sses)
    return (
        f"{n_same} of {N_SEEDS} seeds give these groups; the others give an SSE of"
        f" {min(sses):.2f} to {max(sses):.2f}."
    )


def _masked_table(
    title: str, printed: dict[tuple[str, str], str], remark: str = "", **options: Any
) -> Table:
    """Return the table of the eleven companies, masked by a method."""
    release = microaggregate(
        datasets.sme(kind="pyarrow"),
        list(COLUMNS[:N_QUASI_IDENTIFIERS]),
        k=K,
        identifiers=["company"],
        confidential=list(COLUMNS[N_QUASI_IDENTIFIERS:]),
        **options,
    )
    ours = {
        (str(record), column): float(value)
        for column in COLUMNS
        for record, value in enumerate(release.data[column].to_pylist(), 1)
    }
    about = (
        "Surface and number of employees are masked; turnover and net profit are released"
        f" unchanged. {remark}"
    )
    return Table.of(title, about, printed, ours, inputs=COLUMNS[N_QUASI_IDENTIFIERS:])


@cache
def companies() -> Matrix:
    """Return surface and employees as z-scores."""
    data = datasets.sme(kind="pyarrow")
    return zscore(
        np.column_stack([data[column].to_numpy() for column in COLUMNS[:N_QUASI_IDENTIFIERS]]) * 1.0
    )


def table_of_examples() -> Table:
    """Return the variability that both methods lose, for Examples 2 and 3."""
    Z = companies()
    ours: dict[Key, float] = {}
    labels_by_row: dict[str, Labels] = {
        "optimal": group_labels(Z, "optimal", K),
        "μ-Approx": group_labels(Z, "mu-approx", K, random_state=SEED),
    }
    for row, labels in labels_by_row.items():
        within, total = sse(Z, labels), sst(Z)
        ours |= {(row, "SSE"): within, (row, "SST"): total, (row, "SSE/SST"): within / total}
    about = f"On z-scores of the two masked columns. For μ-Approx, {seeds_sentence()}"
    return Table.of("Examples 2 and 3: variability lost", about, EXAMPLES, ours, may_be_cut=True)


def figure_1() -> Figure:
    """Draw the tree of FOREST, and the groups after DECOMPOSE."""
    Z = companies()
    rng = np.random.default_rng(SEED)
    neighbours, _ = nearest_others(open_index(Z), K - 1)
    neighbour_of = grow_forest(neighbours, rng.permutation(len(Z)), K)
    edges = [(i, j) for i, j in enumerate(neighbour_of) if j >= 0]
    tree = tuple(
        Series("edge", _values_of([i, j], 0), _values_of([i, j], 1), "-", colour="#888888")
        for i, j in edges
    )
    companies_series = Series(
        "company", _values_of(range(len(Z)), 0), _values_of(range(len(Z)), 1), "o"
    )
    forest_panel = Panel("FOREST", "surface, m²", "employees", (*tree, companies_series))
    labels = group_labels(Z, "mu-approx", K, random_state=SEED)
    caption = (
        f"Top of the paper's figure, left here: the edges of FOREST with seed {SEED}, from each"
        " company to one of its two nearest. Bottom, right here: the groups of μ-Approx, those of"
        " Table 4. The paper's own draw is not known."
    )
    panels = forest_panel, Panel("Groups", "surface, m²", "employees", _series_of_groups(labels))
    return Figure("mu-approx-figure-1", "Figure 1", caption, panels)


def figure_2() -> Figure:
    """Draw the optimum."""
    labels = group_labels(companies(), "optimal", K)
    panel = Panel("Optimal groups", "surface, m²", "employees", _series_of_groups(labels))
    return Figure("mu-approx-figure-2", "Figure 2", "The groups of Table 3.", (panel,))


def _values_of(records: Iterable[int], column: int) -> list[float]:
    """Return the values of the given companies in a column, in its own unit."""
    values = datasets.sme(kind="pyarrow")[COLUMNS[column]].to_pylist()
    return [float(values[record]) for record in records]


def _series_of_groups(labels: Labels) -> tuple[Series, ...]:
    """Return a series of points for each group."""
    return tuple(
        Series(
            f"group {group + 1}",
            _values_of(np.flatnonzero(labels == group), 0),
            _values_of(np.flatnonzero(labels == group), 1),
            "o",
        )
        for group in range(labels.max() + 1)
    )
