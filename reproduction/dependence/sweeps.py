"""The runs that the figures show: MDAV with every k and lambda of the paper."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from reproduction.runs import Matrix, group_labels, group_means, reference_table
from shoal.geometry import with_confidential, zscore
from shoal.metrics import average_diversity, distortion_x, distortion_y, linkage

LAMBDAS = tuple(step / 10 for step in range(11))
REAL_KS, SYNTHETIC_KS = (5, 10, 20, 50, 100), (50, 100, 200, 500)
N_QUASI_IDENTIFIERS = 6  # the first columns are the quasi-identifiers, the others confidential
BLOCK_SIZES, K = (2, 3, 4, 6), 10  # numbers of columns and k in Figure 14
SEED = 2016


@dataclass(frozen=True)
class Source:
    """A table of the paper: quasi-identifiers, confidential columns and the k it is masked with."""

    title: str
    X: Matrix
    Y: Matrix
    ks: tuple[int, ...]


@dataclass(frozen=True)
class Point:
    """Results of one run: D_X, D_Y, the average diversity and the size of the largest group."""

    d_x: float
    d_y: float
    diversity: float
    largest_size: int


@dataclass(frozen=True)
class BlockPoint:
    """Results of one run with blocks of columns: distortion, linkage, groups of each block."""

    d_x: float
    linkage: float
    n_groups: tuple[int, ...]


@cache
def sources() -> Mapping[str, Source]:
    """Return the four tables of the paper."""
    tables = {
        f"gaussian {rho}": Source(f"Gaussian, ρ = {rho}", *gaussian(rho), SYNTHETIC_KS)
        for rho in (0.5, 0.9)
    }
    for name in ("census", "tarragona"):
        Z = reference_table(name)
        tables[name] = Source(
            name.capitalize(), Z[:, :N_QUASI_IDENTIFIERS], Z[:, N_QUASI_IDENTIFIERS:], REAL_KS
        )
    return tables


def gaussian(rho: float, n: int = 1000, seed: int = SEED) -> tuple[Matrix, Matrix]:
    """Return two columns with correlation ``rho``, as z-scores; the paper's own are not known."""
    first, second = np.random.default_rng(seed).standard_normal((2, n, 1))
    return zscore(first), zscore(rho * first + np.sqrt(1 - rho**2) * second)


@cache
def sweep(name: str) -> Mapping[tuple[int, float], Point]:
    """Mask a table with every k and lambda of the paper."""
    source = sources()[name]
    return {(k, weight): _sweep_point(source, k, weight) for k in source.ks for weight in LAMBDAS}


def _sweep_point(source: Source, k: int, weight: float) -> Point:
    """Return the results of one run."""
    labels = group_labels(with_confidential(source.X, source.Y, weight), "mdav", k)
    return Point(
        distortion_x(source.X, group_means(source.X, labels)),
        distortion_y(labels[:, None], source.Y),
        average_diversity(labels[:, None], source.Y),
        int(np.bincount(labels).max()),
    )


@cache
def block_sweep() -> Mapping[tuple[int, float], BlockPoint]:
    """Mask Census in blocks of columns, each together with all confidential columns."""
    return {
        (size, weight): _block_point(size, weight) for size in BLOCK_SIZES for weight in LAMBDAS
    }


def _block_point(size: int, weight: float) -> BlockPoint:
    """Return the results of one run in blocks of ``size`` columns."""
    source = sources()["census"]
    blocks = [source.X[:, i : i + size] for i in range(0, N_QUASI_IDENTIFIERS, size)]
    labels = [
        group_labels(with_confidential(block, source.Y, weight), "mdav", K) for block in blocks
    ]
    release = np.hstack([group_means(*pair) for pair in zip(blocks, labels, strict=True)])
    return BlockPoint(
        distortion_x(source.X, release),
        linkage(source.X, release),
        tuple(int(block_labels.max()) + 1 for block_labels in labels),
    )


def round_as_shown(values: Iterable[float]) -> list[float]:
    """Return values with the digits that a page shows, so that a plot shows no more."""
    return [round(value, 4) for value in values]
