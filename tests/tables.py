"""Random tables on which faults show: few values, so many ties; every length."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


@st.composite
def tables(draw, least=1, most=40, columns=3, values=4):
    """Draw a table of small whole numbers: distances and means are exact, ties are many."""
    n = draw(st.integers(least, most))
    p = draw(st.integers(1, columns))
    return draw(arrays(np.float64, (n, p), elements=st.integers(0, values - 1).map(float)))


@st.composite
def tables_and_k(draw, greatest=6, **options):
    """Draw a table and a k that it can hold."""
    X = draw(tables(**options))
    return X, draw(st.integers(1, min(greatest, len(X))))


def loss(Z, labels):
    """Return 100 * SSE / SST of the groups on the columns as they are."""
    within = sum(
        ((Z[labels == g] - Z[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels)
    )
    return 100 * within / ((Z - Z.mean(axis=0)) ** 2).sum()
