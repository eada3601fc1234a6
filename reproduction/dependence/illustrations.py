"""Figures 1 and 5, which illustrate ideas on small tables."""

from os.path import commonprefix

import numpy as np

from reproduction.figure import Figure, Panel, Series
from reproduction.page import TextTable
from shoal.metrics import distortion_y
from shoal.plan.microaggregate import microaggregate

ZIPS = ["94024", "94305", "94024", "90210", "90210", "90213"]
PEOPLE = {"gender": list("FMMMFF"), "age": [29, 26, 29, 34, 32, 33], "zip": ZIPS}
FIGURE_1 = [("M", 28, "94***")] * 3 + [("F", 33, "9021*")] * 3


def figure_1() -> TextTable:
    """Return the six people of Figure 1, masked with k = 3."""
    import pandas as pd

    data = pd.DataFrame(PEOPLE)
    paths = [[code, *(code[:length] + "*" * (5 - length) for length in (4, 3, 2, 1)), "*"]
             for code in sorted(set(ZIPS))]  # fmt: skip
    types = {"zip": {"kind": "nominal", "hierarchy": paths}, "gender": "nominal"}
    release = microaggregate(data, list(PEOPLE), k=3, method="mdav", types=types)
    rows = {}
    for record, (gender, age, code) in enumerate(FIGURE_1):
        group = np.flatnonzero(release.labels == release.labels[record])
        prefix = commonprefix([ZIPS[i] for i in group])
        masked = release.data.iloc[record]
        rows[f"record {record + 1}"] = (
            f"{gender}, {age}, {code}",
            f"{masked['gender']}, {masked['age']:g}, {prefix + '*' * (5 - len(prefix))}",
        )
    about = (
        "Six people, k = 3: gender by the most frequent value, age by the mean, and the ZIP code by"
        " the common ancestor in the hierarchy of its digits, whose levels are the distances; a"
        " step releases the most frequent code, so the common ancestor of the group is taken here."
    )
    return TextTable("Figure 1", about, rows)


def figure_5() -> Figure:
    """Draw two columns that are uncorrelated but strongly dependent."""
    x, y = [-2.0, -1.0, 1.0, 2.0], [-1.0, 1.0, 1.0, -1.0]
    X, Y = np.array(x)[:, None], np.array(y)[:, None]
    unexplained_linearly, unexplained = 1 - np.corrcoef(x, y)[0, 1] ** 2, distortion_y(X, Y)
    panel = Panel(
        "", "X", "Y",
        (Series("Y", x, y, "o"), Series("best linear prediction", [-2, 2], [0, 0], "--")),
    )  # fmt: skip
    caption = (
        f"X and Y are uncorrelated: a linear prediction leaves {unexplained_linearly:.0%} of the"
        f" variance of Y. Y is a function of X: the classes of X leave {unexplained:.0%}, which is"
        " D_Y."
    )
    return Figure("dependence-figure-5", "Figure 5", caption, (panel,))
