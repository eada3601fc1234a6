"""Seeded random tables of the kinds that partitioners meet, as z-scores."""

import numpy as np


def gaussian(n, p, rng):
    """Draw independent normal columns: the hardest kind, since no record has near neighbours."""
    return rng.normal(size=(n, p))


def clustered(n, p, rng):
    """Draw records around 100 centres of unequal weight and width."""
    weights = rng.dirichlet(np.ones(100))
    cluster = rng.choice(100, size=n, p=weights)
    centres = 3.0 * rng.normal(size=(100, p))
    widths = rng.uniform(0.2, 1.0, size=(100, 1))
    return centres[cluster] + widths[cluster] * rng.normal(size=(n, p))


def heavy_tailed(n, p, rng):
    """Draw log-normal columns that share a few factors, as money in business surveys does."""
    factors = rng.normal(size=(n, 3)) @ rng.normal(size=(3, p))
    return np.exp(0.5 * factors + 0.4 * rng.normal(size=(n, p)))


def load_profiles(n, p, rng):
    """Draw daily curves of consumption: a level, six smooth shapes, and noise of each reading."""
    hours = np.linspace(0, 2 * np.pi, p)
    shapes = np.stack(
        [np.sin(frequency * hours + phase) for frequency in (1, 2, 3) for phase in (0.0, 1.0)]
    )
    level = np.exp(0.5 * rng.normal(size=(n, 1)))
    return level * (2 + 0.3 * rng.normal(size=(n, 6)) @ shapes) + 0.2 * rng.normal(size=(n, p))


KINDS = {
    "gaussian": gaussian,
    "clustered": clustered,
    "heavy-tailed": heavy_tailed,
    "load-profiles": load_profiles,
}


def table(kind, n, p, seed=1):
    """Return a table of one kind, each column with mean 0 and variance 1."""
    X = KINDS[kind](n, p, np.random.default_rng(seed))
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))
