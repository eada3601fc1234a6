"""The choice of lambda, predicted columns, blocks by correlation, risks and independent columns."""

import numpy as np
from sklearn.neighbors import KNeighborsRegressor

from reproduction.dependence.sweeps import LAMBDAS, N_QUASI_IDENTIFIERS, REAL_KS, K, sources, sweep
from reproduction.page import Claim, Claims, NumberTable
from reproduction.runs import groups, masked
from shoal.comparison.tradeoff import TradeoffPoint, knee, largest_relative_surplus
from shoal.geometry import correlated_blocks, predicted_confidential, with_confidential
from shoal.metrics import (
    delta_disclosure,
    distortion_x,
    distortion_y,
    linkage,
    mutual_information,
)

NEIGHBOURS = 20  # of the regression


def choice() -> NumberTable:
    """The lambda that two rules choose."""
    rows: dict[str, list[float]] = {"relative": [], "knee": []}
    columns = []
    for name in ("census", "tarragona"):
        for k in REAL_KS:
            curve = sweep(name)
            points = [TradeoffPoint(k, w, curve[k, w].x, curve[k, w].y) for w in LAMBDAS]
            rows["relative"].append(largest_relative_surplus(points).dependence)
            rows["knee"].append(knee(points).dependence)
            columns.append(f"{sources()[name].title}, k = {k}")
    return NumberTable("The λ that two rules choose", tuple(columns), rows, decimals=1)


def predicted() -> NumberTable:
    """The variant with predictions in place of the confidential columns."""
    source = sources()["census"]
    guess = predicted_confidential(source.X, source.Y, KNeighborsRegressor(NEIGHBOURS))
    rows: dict[str, list[float]] = {}
    for title, Y in (("y", source.Y), ("E(Y given x)", guess)):
        partitions = [
            groups(with_confidential(source.X, Y, weight), "mdav", K) for weight in LAMBDAS
        ]
        rows[f"D_X, with {title}"] = [
            distortion_x(source.X, masked(source.X, labels)) for labels in partitions
        ]
        rows[f"D_Y, with {title}"] = [
            distortion_y(labels[:, None], source.Y) for labels in partitions
        ]
    title = f"Census, k = {K}: the confidential columns, or a regression on {NEIGHBOURS} neighbours"
    return NumberTable(title, tuple(f"λ = {w:g}" for w in LAMBDAS), rows)


def correlated() -> NumberTable:
    """Blocks of contiguous columns beside blocks of correlated ones, at lambda 0."""
    X = sources()["census"].X
    rows: dict[str, list[float]] = {"D_X": [], "DLD": []}
    columns = []
    for size in (2, 3, 4):
        contiguous = [
            list(range(i, min(i + size, N_QUASI_IDENTIFIERS)))
            for i in range(0, N_QUASI_IDENTIFIERS, size)
        ]
        for name, blocks in (
            ("contiguous", contiguous),
            ("correlated", correlated_blocks(X, size)),
        ):
            release = X.copy()
            for block in blocks:
                columns_of_block = np.ascontiguousarray(X[:, block])
                labels = groups(columns_of_block, "mdav", K)
                release[:, block] = masked(columns_of_block, labels)
            rows["D_X"].append(distortion_x(X, release))
            rows["DLD"].append(linkage(X, release))
            columns.append(f"b = {size}, {name}")
    return NumberTable(f"Census, k = {K}, λ = 0: which columns share a block", tuple(columns), rows)


def risks() -> NumberTable:
    """Mutual information and delta-disclosure of the confidential columns, the greatest of them."""
    source = sources()["census"]
    codes = np.rint(source.Y / 0.5).astype(np.int64)  # some ten values each
    rows: dict[str, list[float]] = {"mutual information, bits": [], "delta-disclosure": []}
    for weight in LAMBDAS:
        label = groups(with_confidential(source.X, source.Y, weight), "mdav", K)[:, None]
        rows["mutual information, bits"].append(float(mutual_information(label, codes).max()))
        rows["delta-disclosure"].append(float(delta_disclosure(label, codes).max()))
    title = f"Census, k = {K}: what classes tell about a confidential column in steps of 0.5"
    return NumberTable(title, tuple(f"λ = {w:g}" for w in LAMBDAS), rows, decimals=3)


def independent() -> Claims:
    """What becomes of the curves if the confidential columns are independent."""
    source, n = sources()["census"], len(sources()["census"].X)
    Y = source.Y[np.random.default_rng(2016).permutation(n)]
    releases = [
        masked(source.X, groups(with_confidential(source.X, Y, weight), "mdav", K))
        for weight in (0.0, 1.0)
    ]
    lost = [distortion_x(source.X, release) for release in releases]
    linked = [linkage(source.X, release) for release in releases]
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
