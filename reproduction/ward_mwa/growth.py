"""MWA from the two most distant records, grown in two ways; Figures 1 and 2."""

import numpy as np

from reproduction.figure import Figure, Panel, Series
from reproduction.page import NumberTable
from reproduction.runs import Labels, Matrix, group_labels, loss, reference_table, sse, sst

# The coordinates are ours: the paper prints none.
NINE_RECORDS = np.array(
    [[1, 1], [1, 2], [2, 1], [2, 2], [1.5, 3], [7, 1], [7, 2], [8, 1.5], [7.5, 3.0]]
)
SIX_RECORDS = np.array([[1, 1], [0, 0], [5, 2], [9, 1], [10, 0], [5, -4.0]])  # vectors 1 to 6


def growth_table() -> NumberTable:
    """Return the loss of either way to grow a group, with either extreme record first."""
    Z, columns, rows = reference_table("tarragona"), [], {}
    for grow, title in (("centroid", "to the mean so far"), ("extreme", "to the extreme record")):
        rows[f"nearest {title}"] = [
            loss(Z, group_labels(Z, "mward", k, grow=grow, descending=is_descending))
            for k in (3, 4, 5)
            for is_descending in (False, True)
        ]
    for k in (3, 4, 5):
        columns += [f"k={k}, lower first", f"k={k}, upper first"]
    title = "MWA_MD: the two most distant records, grown in two ways"
    return NumberTable(title, tuple(columns), rows, decimals=3)


def figure_1() -> Figure:
    """Draw groups of fixed and of variable size."""
    labels_by_method = {
        "fixed size": group_labels(NINE_RECORDS, "mdav", 3),
        "variable size": group_labels(NINE_RECORDS, "mward", 3),
    }
    panels = tuple(
        Panel(
            f"{title}, loss {100 * sse(NINE_RECORDS, labels) / sst(NINE_RECORDS):.1f} %",
            "",
            "",
            series_of_groups(NINE_RECORDS, labels),
        )
        for title, labels in labels_by_method.items()
    )
    caption = (
        "Nine records in two natural groups, k = 3: groups of exactly three (`mdav`) cut across"
        " them, groups of variable size (`mward`) do not. The coordinates are ours."
    )
    return Figure("ward-mwa-figure-1", "Figure 1", caption, panels)


def figure_2() -> Figure:
    """Draw the groups of six records, formed from either extreme record."""
    panels = tuple(
        Panel(
            f"from vector {first}", "", "",
            series_of_groups(
                SIX_RECORDS, group_labels(SIX_RECORDS, "mward", 3, descending=is_descending)
            ),
        )
        for first, is_descending in ((2, False), (5, True))
    )  # fmt: skip
    caption = (
        "Maximum distance, k = 3: from vector 2 the groups are (1, 2, 3) and (4, 5, 6), from vector"
        " 5 they are (3, 4, 5) and (1, 2, 6), as in the paper. The coordinates are ours; each group"
        " grows by the vector nearest to its mean."
    )
    return Figure("ward-mwa-figure-2", "Figure 2", caption, panels)


def series_of_groups(X: Matrix, labels: Labels) -> tuple[Series, ...]:
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
