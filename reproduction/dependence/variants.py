"""The choice of lambda, predicted columns, blocks by correlation, risks and independent columns."""

import numpy as np
from sklearn.neighbors import KNeighborsRegressor

from reproduction.dependence.sweeps import LAMBDAS, N_QUASI_IDENTIFIERS, REAL_KS, K, sources, sweep
from reproduction.page import Claim, Claims, NumberTable
from reproduction.runs import group_labels, group_means
from shoal.comparison.tradeoff import TradeoffPoint, knee, largest_relative_surplus
from shoal.geometry import correlated_blocks, predicted_confidential, with_confidential
from shoal.metrics import (
    delta_disclosure,
    distortion_x,
    distortion_y,
    linkage,
    mutual_information,
)

NEIGHBOURS = 20  # neighbours that the regression uses


def chosen_lambdas() -> NumberTable:
    """Return the lambda that each of two rules chooses."""
    rows: dict[str, list[float]] = {"relative": [], "knee": []}
    columns = []
    for name in ("census", "tarragona"):
        for k in REAL_KS:
            curve = sweep(name)
            points = [
                TradeoffPoint(k, weight, curve[k, weight].d_x, curve[k, weight].d_y)
                for weight in LAMBDAS
            ]
            rows["relative"].append(largest_relative_surplus(points).dependence)
            rows["knee"].append(knee(points).dependence)
            columns.append(f"{sources()[name].title}, k = {k}")
    return NumberTable("The λ that two rules choose", tuple(columns), rows, decimals=1)


def predicted_columns() -> NumberTable:
    """Return the distortions with predictions in place of the confidential columns."""
    source = sources()["census"]
    prediction = predicted_confidential(source.X, source.Y, KNeighborsRegressor(NEIGHBOURS))
    rows: dict[str, list[float]] = {}
    for title, Y in (("y", source.Y), ("E(Y given x)", prediction)):
        labels_by_weight = [
            group_labels(with_confidential(source.X, Y, weight), "mdav", K) for weight in LAMBDAS
        ]
        rows[f"D_X, with {title}"] = [
            distortion_x(source.X, group_means(source.X, labels)) for labels in labels_by_weight
        ]
        rows[f"D_Y, with {title}"] = [
            distortion_y(labels[:, None], source.Y) for labels in labels_by_weight
        ]
    title = f"Census, k = {K}: the confidential columns, or a regression on {NEIGHBOURS} neighbours"
    return NumberTable(title, tuple(f"λ = {weight:g}" for weight in LAMBDAS), rows)


def block_choice() -> NumberTable:
    """Return the results of blocks of contiguous and of correlated columns, at lambda 0."""
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
                labels = group_labels(columns_of_block, "mdav", K)
                release[:, block] = group_means(columns_of_block, labels)
            rows["D_X"].append(distortion_x(X, release))
            rows["DLD"].append(linkage(X, release))
            columns.append(f"b = {size}, {name}")
    return NumberTable(f"Census, k = {K}, λ = 0: which columns share a block", tuple(columns), rows)


def risk_numbers() -> NumberTable:
    """Return the greatest mutual information and delta-disclosure of a confidential column."""
    source = sources()["census"]
    codes = np.rint(source.Y / 0.5).astype(np.int64)  # some ten values each
    rows: dict[str, list[float]] = {"mutual information, bits": [], "delta-disclosure": []}
    for weight in LAMBDAS:
        label = group_labels(with_confidential(source.X, source.Y, weight), "mdav", K)[:, None]
        rows["mutual information, bits"].append(float(mutual_information(label, codes).max()))
        rows["delta-disclosure"].append(float(delta_disclosure(label, codes).max()))
    title = f"Census, k = {K}: what classes tell about a confidential column in steps of 0.5"
    return NumberTable(title, tuple(f"λ = {weight:g}" for weight in LAMBDAS), rows, decimals=3)


def claims_on_independent_columns() -> Claims:
    """Check what the paper says about confidential columns that are independent."""
    source, n = sources()["census"], len(sources()["census"].X)
    Y = source.Y[np.random.default_rng(2016).permutation(n)]
    releases = [
        group_means(source.X, group_labels(with_confidential(source.X, Y, weight), "mdav", K))
        for weight in (0.0, 1.0)
    ]
    distortions = [distortion_x(source.X, release) for release in releases]
    linkages = [linkage(source.X, release) for release in releases]
    return Claims(
        "Claims on independent columns",
        "Census with the confidential columns shuffled among the records.",
        (
            Claim(
                "With independent confidential columns D_X grows to 1 as λ grows.",
                f"With k = {K} it grows from {distortions[0]:.3f} to {distortions[1]:.3f}; groups"
                " of ten at random keep a tenth of the variance.",
                distortions[1] > 0.85,
            ),
            Claim(
                "DLD then vanishes towards 1/n.",
                f"It falls from {linkages[0]:.3f} to {linkages[1]:.4f}, with 1/n = {1 / n:.4f} and"
                f" 1/k = {1 / K:g}.",
                linkages[1] < 10 / n,
            ),
        ),
    )
