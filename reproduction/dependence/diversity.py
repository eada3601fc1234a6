"""Figure 13: the diversity of confidential values within groups."""

import numpy as np

from reproduction.dependence.sweeps import LAMBDAS, REAL_KS, round_as_shown, sources, sweep
from reproduction.figure import Figure, Panel, Series
from reproduction.page import Claim, Claims, NumberTable, Table, as_printed

NAMES = ("census", "tarragona")
WIDTH = 0.02  # width of the categories of a confidential column, in standard deviations

CATEGORIES = as_printed(
    "fewest most",
    """
    Census  93  196
    Tarragona  106  149
    """,
)


def figure_13() -> Figure:
    """Draw the average diversity against lambda."""
    panels = tuple(
        Panel(
            sources()[name].title,
            "λ",
            r"$\ell_{avg}$",
            tuple(
                Series(f"k = {k}", LAMBDAS, round_as_shown(_curve(name, k)), "o-") for k in REAL_KS
            ),
        )
        for name in NAMES
    )
    caption = (
        "Average diversity: distinct values of a confidential column in a group, after rounding to"
        " multiples of 0.02 standard deviations; the least over columns, the mean over groups. The"
        " formula of the paper has Δ = 0.2, a misprint: its text and its numbers of categories have"
        " 0.02."
    )
    return Figure("dependence-figure-13", "Figure 13", caption, panels)


def digits_of_figure_13() -> NumberTable:
    """Return Figure 13 in digits."""
    rows = {f"{sources()[name].title}, k = {k}": _curve(name, k) for name in NAMES for k in REAL_KS}
    columns = tuple(f"λ = {weight:g}" for weight in LAMBDAS)
    return NumberTable("Figure 13 in digits", columns, rows, decimals=3)


def category_counts() -> Table:
    """Return how many values the confidential columns take after rounding."""
    ours: dict[tuple[str, str], float] = {}
    for name in NAMES:
        source = sources()[name]
        counts = [len(np.unique(np.rint(column / WIDTH))) for column in source.Y.T]
        ours[source.title, "fewest"], ours[source.title, "most"] = min(counts), max(counts)
    about = "Categories of the confidential columns, as the text of the paper counts them."
    return Table.of("Categories behind Figure 13", about, CATEGORIES, ours)


def claims() -> Claims:
    """Check what the paper reads off Figure 13."""
    curves = {(name, k): _curve(name, k) for name in NAMES for k in REAL_KS}
    points = [point for name in NAMES for point in sweep(name).values()]
    n_bounded = sum(1 <= point.diversity <= point.largest_size for point in points)
    losses_of_least_k, losses_of_greatest_k = (
        [max(1 - curves[name, k][i] / curves[name, k][0] for name in NAMES) for i in (1, 5, 10)]
        for k in (min(REAL_KS), max(REAL_KS))
    )
    return Claims(
        "Claims on Figure 13",
        "",
        (
            Claim(
                "Average diversity lies between 1 and the size of the largest group.",
                f"True in {n_bounded} of {len(points)} runs.",
                n_bounded == len(points),
            ),
            Claim(
                "Little is lost for λ above 0, above all for low k; more towards λ = 1.",
                "The greater loss of both tables at λ = 0.1, 0.5 and 1 is"
                f" {' '.join(f'{share:.1%}' for share in losses_of_least_k)} for k ="
                f" {min(REAL_KS)} and"
                f" {' '.join(f'{share:.1%}' for share in losses_of_greatest_k)} for k ="
                f" {max(REAL_KS)}.",
                losses_of_least_k[0] < losses_of_least_k[1] < losses_of_least_k[2]
                and losses_of_least_k[1] < 0.05,
            ),
        ),
    )


def _curve(name: str, k: int) -> list[float]:
    return [sweep(name)[k, weight].diversity for weight in LAMBDAS]
