"""MWA from the two most distant records, grown in two ways; Figures 1 and 2."""

import numpy as np

from reproduction.figure import Figure, Panel, Series
from reproduction.page import NumberTable
from reproduction.runs import Labels, Matrix, groups, loss, reference_table, sse, sst

# Coordinates of our own: the paper draws its figures without any.
NINE = np.array([[1, 1], [1, 2], [2, 1], [2, 2], [1.5, 3], [7, 1], [7, 2], [8, 1.5], [7.5, 3.0]])
SIX = np.array([[1, 1], [0, 0], [5, 2], [9, 1], [10, 0], [5, -4.0]])  # vectors 1 to 6


def growths() -> NumberTable:
    """Loss of both growths, either extreme record first."""
    Z, columns, rows = reference_table("tarragona"), [], {}
    for grow, title in (("centroid", "to the mean so far"), ("extreme", "to the extreme record")):
        rows[f"nearest {title}"] = [
            loss(Z, groups(Z, "mward", k, grow=grow, descending=turned))
            for k in (3, 4, 5)
            for turned in (False, True)
        ]
    for k in (3, 4, 5):
        columns += [f"k={k}, lower first", f"k={k}, upper first"]
    title = "MWA_MD: the two most distant records, grown in two ways"
    return NumberTable(title, tuple(columns), rows, decimals=3)


def figure_1() -> Figure:
    """Groups of fixed and of variable size."""
    ways = {"fixed size": groups(NINE, "mdav", 3), "variable size": groups(NINE, "mward", 3)}
    panels = tuple(
        Panel(
            f"{title}, loss {100 * sse(NINE, labels) / sst(NINE):.1f} %",
            "",
            "",
            scatter(NINE, labels),
        )
        for title, labels in ways.items()
    )
    caption = (
        "Nine records in two natural groups, k = 3: groups of exactly three (`mdav`) cut across"
        " them, groups of variable size (`mward`) do not. The coordinates are ours."
    )
    return Figure("ward-mwa-figure-1", "Figure 1", caption, panels)


def figure_2() -> Figure:
    """Six records grouped from either extreme record."""
    panels = tuple(
        Panel(
            f"from vector {first}", "", "",
            scatter(SIX, groups(SIX, "mward", 3, descending=turned)),
        )
        for first, turned in ((2, False), (5, True))
    )  # fmt: skip
    caption = (
        "Maximum distance, k = 3: from vector 2 the groups are (1, 2, 3) and (4, 5, 6), from vector"
        " 5 they are (3, 4, 5) and (1, 2, 6), as in the paper. The coordinates are ours; each group"
        " grows by the vector nearest to its mean."
    )
    return Figure("ward-mwa-figure-2", "Figure 2", caption, panels)


def scatter(X: Matrix, labels: Labels) -> tuple[Series, ...]:
    """Return one series of points for each group."""
    return tuple(
        Series(
            f"group {group + 1}",
            [float(value) for value in X[labels == group, 0]],
            [float(value) for value in X[labels == group, 1]],
            "o",
        )
        for group in range(int(labels.max()) + 1)
    )
