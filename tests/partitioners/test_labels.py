"""How groups are numbered."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.partitioners._base import in_order


@given(st.lists(st.integers(-3, 5) | st.sampled_from([10**6, 2**62]), min_size=1, max_size=30))
def test_groups_are_numbered_by_their_first_records(labels):
    first = list(dict.fromkeys(labels))
    assert in_order(np.array(labels, np.int64)).tolist() == [first.index(g) for g in labels]
