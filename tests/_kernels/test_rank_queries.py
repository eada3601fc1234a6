"""Records closer than the own record: the index agrees with all distances."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.rank_queries import count_closer, rank_own_records
from tables import tables


@given(X=tables(least=2, most=3 * BLOCK), data=st.data())
def test_closer_records_are_counted_by_weight(X, data):
    n = len(X)
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    point = np.array(data.draw(st.lists(st.integers(-1, 4), min_size=X.shape[1], max_size=3)))[
        : X.shape[1]
    ].astype(float)
    own = data.draw(st.integers(0, n - 1))
    distances = ((X - point) ** 2).sum(axis=1)
    closer = int(weights[distances < distances[own]].sum())
    level = int(weights[distances == distances[own]].sum())
    index = open_index(X)
    all_ = int(weights.sum()) + 1
    assert count_closer(index, weights, point, distances[own], distances[own], all_) == (
        closer,
        level,
    )
    stopped = count_closer(index, weights, point, distances[own], distances[own], 2)
    assert stopped == (closer, level) if closer < 2 else stopped[0] >= 2


def test_own_records_are_ranked_from_start_to_stop():
    X = np.array([[0.0], [1.0], [3.0], [6.0]])
    points, own = np.array([[0.0], [2.0], [2.0]]), np.array([0, 1, 3])
    closer, level = np.full(3, -1), np.full(3, -1)
    rank_own_records(open_index(X), np.ones(4, np.int64), points, own, 0.0, 9, 1, 3, closer, level)
    assert closer.tolist() == [-1, 0, 3]
    assert level.tolist() == [-1, 2, 1]  # 1 and 3 are as near to 2 as each other
