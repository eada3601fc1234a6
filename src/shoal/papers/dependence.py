"""k-Anonymous microaggregation with preservation of statistical dependence: Figures 8 to 14."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from shoal.measure import information_loss
from shoal.papers.page import Claim, Claims, Figure, Numbers, Page, Panel, Part, Series, Table
from shoal.papers.runs import Labels, Matrix, groups, masked, reference
from shoal.space import with_confidential, zscore

LAMBDAS = tuple(step / 10 for step in range(11))
REAL, SYNTHETIC = (5, 10, 20, 50, 100), (50, 100, 200, 500)
KNOWN = 6  # the first columns are the quasi-identifiers, the others confidential
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
    """What one run gives: both distortions, the average diversity and the groups."""

    x: float
    y: float
    diversity: float
    labels: Labels


Sweep = Mapping[tuple[int, float], Point]


@cache
def sources() -> dict[str, Source]:
    """Return the four tables of the paper."""
    found = {
        f"gaussian {rho}": Source(f"Gaussian, ρ = {rho}", *gaussian(rho), SYNTHETIC)
        for rho in (0.5, 0.9)
    }
    for name in ("census", "tarragona"):
        Z = reference(name)
        found[name] = Source(name.capitalize(), Z[:, :KNOWN], Z[:, KNOWN:], REAL)
    return found


def gaussian(rho: float, n: int = 1000) -> tuple[Matrix, Matrix]:
    """Return two columns with correlation ``rho``, as z-scores; the paper's own are not known."""
    first, second = np.random.RandomState(SEED).standard_normal((2, n, 1))
    return zscore(first), zscore(rho * first + np.sqrt(1 - rho**2) * second)


@cache
def sweep(name: str) -> Sweep:
    """Mask a table by MDAV with every k and lambda of the paper."""
    source = sources()[name]
    found = {}
    for k in source.ks:
        for weight in LAMBDAS:
            labels = groups(with_confidential(source.X, source.Y, weight), "mdav", k)
            found[k, weight] = Point(
                distortion(source.X, labels),
                distortion(source.Y, labels),
                average_diversity(source.Y, labels),
                labels,
            )
    return found


def distortion(Z: Matrix, labels: Labels) -> float:
    """Return SSE / SST."""
    return float(information_loss(Z, masked(Z, labels))) / 100
