"""Records closer than the own record: the index agrees with all distances."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.rank_queries import RankQueries, count_closer, rank_own_records
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
    n_closer = int(weights[distances < distances[own]].sum())
    n_tied = int(weights[distances == distances[own]].sum())
    index = open_index(X)
    max_closer = int(weights.sum()) + 1
    assert count_closer(index, weights, point, distances[own], distances[own], max_closer) == (
        n_closer,
        n_tied,
    )
    stopped = count_closer(index, weights, point, distances[own], distances[own], 2)
    assert stopped == (n_closer, n_tied) if n_closer < 2 else stopped[0] >= 2


def test_own_records_are_ranked_from_start_to_stop():
    queries = RankQueries(
        points=np.array([[0.0], [2.0], [2.0]]),
        own_records=np.array([0, 1, 3]),
        tolerance=0.0,
        max_closer=9,
        n_closer=np.full(3, -1),
        n_tied=np.full(3, -1),
    )
    index = open_index(np.array([[0.0], [1.0], [3.0], [6.0]]))
    rank_own_records(index, np.ones(4, np.int64), queries, 1, 3)
    assert queries.n_closer.tolist() == [-1, 0, 3]
    assert queries.n_tied.tolist() == [-1, 2, 1]  # 1 and 3 are as near to 2 as each other
