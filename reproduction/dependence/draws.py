"""The claims on Gaussian tables, checked on many draws instead of one."""

from collections.abc import Mapping

import numpy as np

from reproduction.dependence.sweeps import LAMBDAS, SYNTHETIC_KS, gaussian
from reproduction.page import Claim, Claims
from reproduction.runs import Matrix, group_labels, group_means
from reproduction.stored_results import stored
from shoal.geometry import with_confidential
from shoal.metrics import distortion_x, distortion_y, linkage

N_DRAWS, RHOS = 100, (0.5, 0.9)
N, K = 1000, 10  # records and k of the claim on one quasi-identifier


def curves(rho: float, seed: int) -> list[list[list[float]]]:
    """Return D_X and D_Y of one table, for every k and lambda."""
    X, Y = gaussian(rho, seed=seed)
    distortions = []
    for k in SYNTHETIC_KS:
        labels_by_weight = [
            group_labels(with_confidential(X, Y, weight), "mdav", k) for weight in LAMBDAS
        ]
        distortions.append(
            [
                [distortion_x(X, group_means(X, labels)), distortion_y(labels[:, None], Y)]
                for labels in labels_by_weight
            ]
        )
    return distortions


@stored("dependence-draws")
def draws() -> dict[str, list[list[list[list[float]]]]]:
    """Return the curves of many tables of either correlation, to six digits."""
    return {
        str(rho): [np.round(curves(rho, seed), 6).tolist() for seed in range(N_DRAWS)]
        for rho in RHOS
    }


def univariate_linkage(seed: int) -> tuple[float, float]:
    """Return the linkage of the optimal groups of one column, and its bound, groups / n."""
    X, _ = gaussian(0.0, N, seed)
    labels = group_labels(X, "univariate", K)
    return float(linkage(X, group_means(X, labels))), (int(labels.max()) + 1) / N


@stored("dependence-univariate")
def univariate_linkages() -> list[tuple[float, float]]:
    """Return the linkage and its bound for many tables of one column."""
    return [univariate_linkage(seed) for seed in range(N_DRAWS)]


def claims() -> Claims:
    """Check what the paper says of its Gaussian tables."""
    curves_by_rho = {rho: np.array(draws()[str(rho)]) for rho in RHOS}  # draws, k, lambda, axis
    all_curves = np.concatenate(list(curves_by_rho.values()))
    return Claims(
        "Claims on Gaussian tables, on many draws",
        f"{N_DRAWS} tables of either correlation, where the paper drew one of each.",
        (
            _claim_order_at_ends(all_curves),
            _claim_objective_grows(all_curves),
            _claim_dependence_narrows_gap(curves_by_rho),
            _claim_d_y_falls(all_curves),
            _claim_both_grow_with_k(all_curves),
            _claim_steep_start(all_curves),
            _claim_univariate_bound(),
        ),
    )


def _claim_order_at_ends(all_curves: Matrix) -> Claim:
    holds = (all_curves[:, :, 0, 0] <= all_curves[:, :, 0, 1]).all(axis=1)
    holds &= (all_curves[:, :, -1, 1] <= all_curves[:, :, -1, 0]).all(axis=1)
    return Claim(
        "D_X is at most D_Y at λ = 0, and D_Y at most D_X at λ = 1.",
        f"For every k in {holds.mean():.0%} of the tables.",
        bool(holds.all()),
    )


def _claim_objective_grows(all_curves: Matrix) -> Claim:
    objectives = np.concatenate(
        [all_curves[:, :, 0, :1], all_curves[:, :, -1, 1:]], axis=2
    )  # draws, k, end
    grows = (np.diff(objectives, axis=1) > 0).all(axis=(1, 2))
    return Claim(
        "The distortion that is minimised grows with k.",
        f"From each k to the next in {grows.mean():.0%} of the tables.",
        bool(grows.mean() > 0.95),
    )


def _claim_dependence_narrows_gap(curves_by_rho: Mapping[float, Matrix]) -> Claim:
    gaps = {rho: curves[:, :, 0, 1] - curves[:, :, 0, 0] for rho, curves in curves_by_rho.items()}
    is_narrower = (gaps[0.9] < gaps[0.5]).all(axis=1)
    return Claim(
        "The other distortion is nearer to it where the dependence is stronger.",
        f"For every k in {is_narrower.mean():.0%} of the pairs of tables.",
        bool(is_narrower.mean() > 0.95),
    )


def _claim_d_y_falls(all_curves: Matrix) -> Claim:
    share_of_falls = np.mean(np.diff(all_curves[..., 1], axis=2) < 0, axis=(1, 2))
    return Claim(
        "For a given k, D_Y falls as λ grows, though not always.",
        f"It falls in {share_of_falls.mean():.1%} of all steps of λ, and in every step for"
        f" {np.mean(share_of_falls == 1):.0%} of the tables.",
        bool(0.8 < share_of_falls.mean() < 1),
    )


def _claim_both_grow_with_k(all_curves: Matrix) -> Claim:
    share_of_rises = (np.diff(all_curves, axis=1) > 0).mean(axis=(1, 2, 3))
    return Claim(
        "For greater k both distortions increase, whatever λ.",
        f"In {share_of_rises.mean():.1%} of all steps from one k to the next, and in every step for"
        f" {np.mean(share_of_rises == 1):.0%} of the tables.",
        bool(share_of_rises.mean() > 0.95),
    )


def _claim_steep_start(all_curves: Matrix) -> Claim:
    least_k_curves = all_curves[:, 0, :2]
    slopes = (least_k_curves[:, 0, 1] - least_k_curves[:, 1, 1]) / (
        least_k_curves[:, 1, 0] - least_k_curves[:, 0, 0]
    )
    is_steep = (slopes > 2) | (slopes < 0)
    return Claim(
        "At the least k the curves start steeply at λ = 0.",
        "From λ = 0 to 0.1, D_Y falls by more than twice what D_X gains in"
        f" {np.mean(is_steep):.0%} of the tables; the median is {np.median(slopes):.0f} times.",
        bool(np.mean(is_steep) > 0.95),
    )


def _claim_univariate_bound() -> Claim:
    linkages, upper_bounds = np.array(univariate_linkages()).T
    return Claim(
        "For λ = 0, one quasi-identifier and n a multiple of k, optimal microaggregation"
        " makes DLD ≤ groups / n ≤ 1/k an equality.",
        f"With k = {K} and n = {N}, DLD equals groups / n in"
        f" {np.mean(np.isclose(linkages, upper_bounds)):.0%} of {N_DRAWS} tables, but groups / n"
        f" lies below 1/k in all of them, at {upper_bounds.mean():.4f} on average.",
        bool(np.isclose(upper_bounds, 1 / K).all()),
        "The optimum has groups of k to 2k - 1 records, so the second bound is not tight.",
    )
