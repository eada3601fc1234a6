"""Random tables that expose faults: of every length, and with few values, so with many ties."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

# Lengths at which kernels start another box, block or superblock (8, 32, 64, 1024 records) or
# another stride of a pass (256, 512), and the lengths next to them.
SIZES = (8, 16, 32, 64, 128, 200, 256, 512, 1024, 2048)
EDGES = sorted({size + offset for size in SIZES for offset in (-1, 0, 1)})


@st.composite
def lengths(draw, least, most):
    """Draw a number of records; half of the numbers are ``EDGES``, if there are any."""
    edges = [n for n in EDGES if least <= n <= most]
    any_length = st.integers(least, most)
    return draw(any_length | st.sampled_from(edges) if edges else any_length)


@st.composite
def tables(draw, least=1, most=40, columns=3, values=4):
    """Draw a table of small whole numbers, with many ties and exact distances and means."""
    n = draw(lengths(least, most))
    p = draw(st.integers(1, columns))
    return draw(arrays(np.float64, (n, p), elements=st.integers(0, values - 1).map(float)))


@st.composite
def tables_and_k(draw, greatest=6, **options):
    """Draw a table and a k of at most its number of records."""
    X = draw(tables(**options))
    return X, draw(st.integers(1, min(greatest, len(X))))


def mirrored(X):
    """Return the first half of a table and its negative, whose mean is exactly zero."""
    half = len(X) // 2
    return np.vstack([X[:half], -X[:half], np.zeros((len(X) % 2, X.shape[1]))])


KINDS = {
    "ordinary": lambda rng, shape: rng.normal(size=shape),
    "tied": lambda rng, shape: rng.integers(0, 4, shape).astype(float),
    "duplicated": lambda rng, shape: np.repeat(rng.normal(size=shape), 7, axis=0)[: shape[0]],
    "constant": lambda rng, shape: np.full(shape, rng.normal()),
    "huge": lambda rng, shape: 1e140 * rng.normal(size=shape),
    "tiny": lambda rng, shape: 1e-140 * rng.normal(size=shape),
    "vanishing": lambda rng, shape: 1e-161 * rng.normal(size=shape),
    "far off": lambda rng, shape: 1e9 + rng.integers(0, 30, shape).astype(float),
    "close": lambda rng, shape: rng.normal(size=shape[1]) + 1e-9 * rng.normal(size=shape),
    "one apart": lambda rng, shape: (
        rng.normal(size=shape) + 1e9 * (np.arange(shape[0]) == 3)[:, None]
    ),
    "faint": lambda rng, shape: mirrored(
        rng.choice([1, 3e-23], (shape[0], 1)) * rng.normal(size=shape)
    ),
    "heavy-tailed": lambda rng, shape: rng.standard_cauchy(size=shape) ** 3,
    "clustered": lambda rng, shape: rng.integers(0, 3, shape) + 1e-3 * rng.normal(size=shape),
}


@st.composite
def long_tables(draw, most=400, columns=6, excluded=()):
    """Draw a table of any length and of any of ``KINDS`` that is not ``excluded``."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(lengths(1, most)), draw(st.integers(1, columns))
    return KINDS[draw(st.sampled_from(sorted(set(KINDS) - set(excluded))))](rng, shape)


def loss(Z, labels):
    """Return 100 * SSE / SST of the groups, without standardising the columns."""
    within = sum(
        ((Z[labels == g] - Z[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels)
    )
    return 100 * within / ((Z - Z.mean(axis=0)) ** 2).sum()
