"""The claims on Gaussian tables, on many draws instead of one."""

from collections.abc import Mapping

import numpy as np

from reproduction.dependence.sweeps import LAMBDAS, SYNTHETIC_KS, gaussian
from reproduction.page import Claim, Claims
from reproduction.runs import Matrix, groups, masked
from reproduction.stored_results import stored
from shoal.geometry import with_confidential
from shoal.metrics import distortion_x, distortion_y, linkage

DRAWS, RHOS = 100, (0.5, 0.9)
N, K = 1000, 10  # of the claim on one quasi-identifier


def curves(rho: float, seed: int) -> list[list[list[float]]]:
    """Return D_X and D_Y of one table, for every k and lambda."""
    X, Y = gaussian(rho, seed=seed)
    distortions = []
    for k in SYNTHETIC_KS:
        labels_by_weight = [
            groups(with_confidential(X, Y, weight), "mdav", k) for weight in LAMBDAS
        ]
        distortions.append(
            [
                [distortion_x(X, masked(X, labels)), distortion_y(labels[:, None], Y)]
                for labels in labels_by_weight
            ]
        )
    return distortions


@stored("dependence-draws")
def draws() -> dict[str, list[list[list[list[float]]]]]:
    """Return the same for many tables of either correlation, to six digits."""
    return {
        str(rho): [np.round(curves(rho, seed), 6).tolist() for seed in range(DRAWS)] for rho in RHOS
    }


def univariate(seed: int) -> tuple[float, float]:
    """Return the linkage of optimal groups of one column, and groups over records."""
    X, _ = gaussian(0.0, N, seed)
    labels = groups(X, "univariate", K)
    return float(linkage(X, masked(X, labels))), (int(labels.max()) + 1) / N


@stored("dependence-univariate")
def bounds() -> list[tuple[float, float]]:
    """Return the same for many tables."""
    return [univariate(seed) for seed in range(DRAWS)]


def claims() -> Claims:
    """Check what the paper says of its Gaussian tables."""
    by_rho = {rho: np.array(draws()[str(rho)]) for rho in RHOS}  # draws, k, lambda, axis
    every = np.concatenate(list(by_rho.values()))
    return Claims(
        "Claims on Gaussian tables, on many draws",
        f"{DRAWS} tables of either correlation, where the paper drew one of each.",
        (
            _ends(every),
            _objective_grows(every),
            _nearer(by_rho),
            _falls(every),
            _grows(every),
            _starts_steeply(every),
            _univariate_bound(),
        ),
    )


def _ends(every: Matrix) -> Claim:
    holds = (every[:, :, 0, 0] <= every[:, :, 0, 1]).all(axis=1)
    holds &= (every[:, :, -1, 1] <= every[:, :, -1, 0]).all(axis=1)
    return Claim(
        "D_X is at most D_Y at λ = 0, and D_Y at most D_X at λ = 1.",
        f"For every k in {holds.mean():.0%} of the tables.",
        bool(holds.all()),
    )


def _objective_grows(every: Matrix) -> Claim:
    objectives = np.concatenate([every[:, :, 0, :1], every[:, :, -1, 1:]], axis=2)  # draws, k, end
    grows = (np.diff(objectives, axis=1) > 0).all(axis=(1, 2))
    return Claim(
        "The distortion that is minimised grows with k.",
        f"From each k to the next in {grows.mean():.0%} of the tables.",
        bool(grows.mean() > 0.95),
    )


def _nearer(by_rho: Mapping[float, Matrix]) -> Claim:
    gap = {rho: curves[:, :, 0, 1] - curves[:, :, 0, 0] for rho, curves in by_rho.items()}
    nearer = (gap[0.9] < gap[0.5]).all(axis=1)
    return Claim(
        "The other distortion is nearer to it where the dependence is stronger.",
        f"For every k in {nearer.mean():.0%} of the pairs of tables.",
        bool(nearer.mean() > 0.95),
    )


def _falls(every: Matrix) -> Claim:
    falls = np.mean(np.diff(every[..., 1], axis=2) < 0, axis=(1, 2))
    return Claim(
        "For a given k, D_Y falls as λ grows, though not always.",
        f"It falls in {falls.mean():.1%} of all steps of λ, and in every step for"
        f" {np.mean(falls == 1):.0%} of the tables.",
        bool(0.8 < falls.mean() < 1),
    )


def _grows(every: Matrix) -> Claim:
    grows = (np.diff(every, axis=1) > 0).mean(axis=(1, 2, 3))
    return Claim(
        "For greater k both distortions increase, whatever λ.",
        f"In {grows.mean():.1%} of all steps from one k to the next, and in every step for"
        f" {np.mean(grows == 1):.0%} of the tables.",
        bool(grows.mean() > 0.95),
    )


def _starts_steeply(every: Matrix) -> Claim:
    start = every[:, 0, :2]
    slope = (start[:, 0, 1] - start[:, 1, 1]) / (start[:, 1, 0] - start[:, 0, 0])
    is_steep = (slope > 2) | (slope < 0)
    return Claim(
        "At the least k the curves start steeply at λ = 0.",
        "From λ = 0 to 0.1, D_Y falls by more than twice what D_X gains in"
        f" {np.mean(is_steep):.0%} of the tables; the median is {np.median(slope):.0f} times.",
        bool(np.mean(is_steep) > 0.95),
    )


def _univariate_bound() -> Claim:
    linked, bound = np.array(bounds()).T
    return Claim(
        "For λ = 0, one quasi-identifier and n a multiple of k, optimal microaggregation"
        " makes DLD ≤ groups / n ≤ 1/k an equality.",
        f"With k = {K} and n = {N}, DLD equals groups / n in"
        f" {np.mean(np.isclose(linked, bound)):.0%} of {DRAWS} tables, but groups / n lies"
        f" below 1/k in all of them, at {bound.mean():.4f} on average.",
        bool(np.isclose(bound, 1 / K).all()),
        "The optimum has groups of k to 2k - 1 records, so the second bound is not tight.",
    )
