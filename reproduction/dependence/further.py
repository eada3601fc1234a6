"""Figures 1 and 5, the choice of lambda, predicted columns, blocks by correlation, independence."""

from os.path import commonprefix

import numpy as np
from sklearn.neighbors import KNeighborsRegressor

from reproduction.dependence.sweeps import KNOWN, LAMBDAS, REAL, K, sources, sweep
from reproduction.figure import Figure, Panel, Series
from reproduction.page import Claim, Claims, Numbers, Rows
from reproduction.runs import Labels, groups, masked
from shoal.comparison.tradeoff import Point, best_relative, knee
from shoal.geometry import correlated_blocks, predicted_confidential, with_confidential
from shoal.metrics import (
    delta_disclosure,
    distortion_x,
    distortion_y,
    linkage,
    mutual_information,
)
from shoal.plan.microaggregation import microaggregate

ZIPS = ["94024", "94305", "94024", "90210", "90210", "90213"]
PEOPLE = {"gender": list("FMMMFF"), "age": [29, 26, 29, 34, 32, 33], "zip": ZIPS}
FIGURE_1 = [("M", 28, "94***")] * 3 + [("F", 33, "9021*")] * 3
NEIGHBOURS = 20  # of the regression


def figure_1() -> Rows:
    """The six people of Figure 1, masked with k = 3."""
    import pandas as pd

    data = pd.DataFrame(PEOPLE)
    paths = [[code, *(code[:length] + "*" * (5 - length) for length in (4, 3, 2, 1)), "*"]
             for code in sorted(set(ZIPS))]  # fmt: skip
    types = {"zip": {"kind": "nominal", "hierarchy": paths}, "gender": "nominal"}
    release = microaggregate(data, list(PEOPLE), k=3, method="mdav", types=types)
    rows = {}
    for record, (gender, age, code) in enumerate(FIGURE_1):
        mates = np.flatnonzero(release.labels == release.labels[record])
        shared = commonprefix([ZIPS[i] for i in mates])
        ours = release.data.iloc[record]
        rows[f"record {record + 1}"] = (
            f"{gender}, {age}, {code}",
            f"{ours['gender']}, {ours['age']:g}, {shared + '*' * (5 - len(shared))}",
        )
    about = (
        "Six people, k = 3: gender by the most frequent value, age by the mean, and the ZIP code by"
        " the common ancestor in the hierarchy of its digits, whose levels are the distances; a"
        " step releases the most frequent code, so the common ancestor of the group is taken here."
    )
    return Rows("Figure 1", about, rows)


def figure_5() -> Figure:
    """Columns that are uncorrelated and strongly dependent."""
    x, y = [-2.0, -1.0, 1.0, 2.0], [-1.0, 1.0, 1.0, -1.0]
    X, Y = np.array(x)[:, None], np.array(y)[:, None]
    linear, other = 1 - np.corrcoef(x, y)[0, 1] ** 2, distortion_y(X, Y)
    panel = Panel(
        "", "X", "Y",
        (Series("Y", x, y, "o"), Series("best linear prediction", [-2, 2], [0, 0], "--")),
    )  # fmt: skip
    caption = (
        f"X and Y are uncorrelated: a linear prediction leaves {linear:.0%} of the variance of Y."
        f" Y is a function of X: the classes of X leave {other:.0%}, which is D_Y."
    )
    return Figure("dependence-figure-5", "Figure 5", caption, (panel,))


def choice() -> Numbers:
    """The lambda that two rules choose."""
    rows: dict[str, list[float]] = {"relative": [], "knee": []}
    columns = []
    for name in ("census", "tarragona"):
        for k in REAL:
            curve = sweep(name)
            points = [Point(k, w, curve[k, w].x, curve[k, w].y) for w in LAMBDAS]
            rows["relative"].append(best_relative(points).dependence)
            rows["knee"].append(knee(points).dependence)
            columns.append(f"{sources()[name].title}, k = {k}")
    return Numbers("The λ that two rules choose", tuple(columns), rows, decimals=1)


def predicted() -> Numbers:
    """The variant with predictions in place of the confidential columns."""
    source = sources()["census"]
    guess = predicted_confidential(source.X, source.Y, KNeighborsRegressor(NEIGHBOURS))
    rows: dict[str, list[float]] = {}
    for title, Y in (("y", source.Y), ("E(Y given x)", guess)):
        labels = [groups(with_confidential(source.X, Y, w), "mdav", K) for w in LAMBDAS]
        rows[f"D_X, with {title}"] = [
            distortion_x(source.X, masked(source.X, one)) for one in labels
        ]
        rows[f"D_Y, with {title}"] = [distortion_y(one[:, None], source.Y) for one in labels]
    title = f"Census, k = {K}: the confidential columns, or a regression on {NEIGHBOURS} neighbours"
    return Numbers(title, tuple(f"λ = {w:g}" for w in LAMBDAS), rows)


def correlated() -> Numbers:
    """Blocks of contiguous columns beside blocks of correlated ones, at lambda 0."""
    X = sources()["census"].X
    rows: dict[str, list[float]] = {"D_X": [], "DLD": []}
    columns = []
    for size in (2, 3, 4):
        contiguous = [list(range(at, min(at + size, KNOWN))) for at in range(0, KNOWN, size)]
        for name, blocks in (
            ("contiguous", contiguous),
            ("correlated", correlated_blocks(X, size)),
        ):
            release = X.copy()
            for block in blocks:
                part = np.ascontiguousarray(X[:, block])
                release[:, block] = masked(part, groups(part, "mdav", K))
            rows["D_X"].append(distortion_x(X, release))
            rows["DLD"].append(linkage(X, release))
            columns.append(f"b = {size}, {name}")
    return Numbers(f"Census, k = {K}, λ = 0: which columns share a block", tuple(columns), rows)


def risks() -> Numbers:
    """Mutual information and delta-disclosure of the confidential columns, the greatest of them."""
    source = sources()["census"]
    codes = np.rint(source.Y / 0.5).astype(np.int64)  # some ten values each
    rows: dict[str, list[float]] = {"mutual information, bits": [], "delta-disclosure": []}
    for weight in LAMBDAS:
        label = groups(with_confidential(source.X, source.Y, weight), "mdav", K)[:, None]
        rows["mutual information, bits"].append(float(mutual_information(label, codes).max()))
        rows["delta-disclosure"].append(float(delta_disclosure(label, codes).max()))
    title = f"Census, k = {K}: what classes tell about a confidential column in steps of 0.5"
    return Numbers(title, tuple(f"λ = {w:g}" for w in LAMBDAS), rows, decimals=3)


def independent() -> Claims:
    """What becomes of the curves if the confidential columns are independent."""
    source, n = sources()["census"], len(sources()["census"].X)
    Y = source.Y[np.random.default_rng(2016).permutation(n)]
    ends: list[Labels] = [groups(with_confidential(source.X, Y, w), "mdav", K) for w in (0.0, 1.0)]
    releases = [masked(source.X, one) for one in ends]
    lost = [distortion_x(source.X, one) for one in releases]
    linked = [linkage(source.X, one) for one in releases]
    return Claims(
        "Claims on independent columns",
        "Census with the confidential columns shuffled among the records.",
        (
            Claim(
                "With independent confidential columns D_X grows to 1 as λ grows.",
                f"With k = {K} it grows from {lost[0]:.3f} to {lost[1]:.3f}; groups of ten at"
                " random keep a tenth of the variance.",
                lost[1] > 0.85,
            ),
            Claim(
                "DLD then vanishes towards 1/n.",
                f"It falls from {linked[0]:.3f} to {linked[1]:.4f}, with 1/n = {1 / n:.4f} and"
                f" 1/k = {1 / K:g}.",
                linked[1] < 10 / n,
            ),
        ),
    )
