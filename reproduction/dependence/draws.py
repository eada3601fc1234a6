"""The claims on Gaussian tables, on many draws instead of one."""

import numpy as np

from reproduction.dependence.sweeps import LAMBDAS, SYNTHETIC, gaussian
from reproduction.page import Claim, Claims
from reproduction.runs import groups, masked
from reproduction.store import stored
from shoal.geometry import with_confidential
from shoal.metrics import distortion_x, distortion_y, linkage

DRAWS, RHOS = 100, (0.5, 0.9)
N, K = 1000, 10  # of the claim on one quasi-identifier


def curves(rho: float, seed: int) -> list[list[list[float]]]:
    """Return D_X and D_Y of one table, for every k and lambda."""
    X, Y = gaussian(rho, seed=seed)
    distortions = []
    for k in SYNTHETIC:
        labels = [groups(with_confidential(X, Y, weight), "mdav", k) for weight in LAMBDAS]
        distortions.append(
            [[distortion_x(X, masked(X, one)), distortion_y(one[:, None], Y)] for one in labels]
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
    both = {rho: np.array(draws()[str(rho)]) for rho in RHOS}  # draws, k, lambda, axis
    every = np.concatenate(list(both.values()))
    ends = (every[:, :, 0, 0] <= every[:, :, 0, 1]).all(axis=1) & (
        every[:, :, -1, 1] <= every[:, :, -1, 0]
    ).all(axis=1)
    aims = np.concatenate([every[:, :, 0, :1], every[:, :, -1, 1:]], axis=2)  # draws, k, end
    objective = (np.diff(aims, axis=1) > 0).all(axis=(1, 2))
    gap = {rho: one[:, :, 0, 1] - one[:, :, 0, 0] for rho, one in both.items()}
    nearer = (gap[0.9] < gap[0.5]).all(axis=1)
    falls = np.mean(np.diff(every[..., 1], axis=2) < 0, axis=(1, 2))
    grows = (np.diff(every, axis=1) > 0).mean(axis=(1, 2, 3))
    start = every[:, 0, :2]
    slope = (start[:, 0, 1] - start[:, 1, 1]) / (start[:, 1, 0] - start[:, 0, 0])
    linked, most = np.array(bounds()).T
    return Claims(
        "Claims on Gaussian tables, on many draws",
        f"{DRAWS} tables of either correlation, where the paper drew one of each.",
        (
            Claim(
                "D_X is at most D_Y at λ = 0, and D_Y at most D_X at λ = 1.",
                f"For every k in {ends.mean():.0%} of the tables.",
                bool(ends.all()),
            ),
            Claim(
                "The distortion that is minimised grows with k.",
                f"From each k to the next in {objective.mean():.0%} of the tables.",
                bool(objective.mean() > 0.95),
            ),
            Claim(
                "The other distortion is nearer to it where the dependence is stronger.",
                f"For every k in {nearer.mean():.0%} of the pairs of tables.",
                bool(nearer.mean() > 0.95),
            ),
            Claim(
                "For a given k, D_Y falls as λ grows, though not always.",
                f"It falls in {falls.mean():.1%} of all steps of λ, and in every step for"
                f" {np.mean(falls == 1):.0%} of the tables.",
                bool(0.8 < falls.mean() < 1),
            ),
            Claim(
                "For greater k both distortions increase, whatever λ.",
                f"In {grows.mean():.1%} of all steps from one k to the next, and in every step for"
                f" {np.mean(grows == 1):.0%} of the tables.",
                bool(grows.mean() > 0.95),
            ),
            Claim(
                "At the least k the curves start steeply at λ = 0.",
                "From λ = 0 to 0.1, D_Y falls by more than twice what D_X gains in"
                f" {np.mean((slope > 2) | (slope < 0)):.0%} of the tables; the median is"
                f" {np.median(slope):.0f} times.",
                bool(np.mean((slope > 2) | (slope < 0)) > 0.95),
            ),
            Claim(
                "For λ = 0, one quasi-identifier and n a multiple of k, optimal microaggregation"
                " makes DLD ≤ groups / n ≤ 1/k an equality.",
                f"With k = {K} and n = {N}, DLD equals groups / n in"
                f" {np.mean(np.isclose(linked, most)):.0%} of {DRAWS} tables, but groups / n lies"
                f" below 1/k in all of them, at {most.mean():.4f} on average.",
                bool(np.isclose(most, 1 / K).all()),
                "The optimum has groups of k to 2k - 1 records, so the second bound is not tight.",
            ),
        ),
    )
