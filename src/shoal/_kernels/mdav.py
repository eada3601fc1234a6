"""MDAV and other fixed-size methods: groups around the outermost of the remaining records.

MDAV is that of Domingo-Ferrer and Torra (2005), MDAV1 of Lin, Wen, Hsieh and Chang (2010),
MDAVClassic of Chettri, Paul and Dutta (2013), and CentroidMDAV of Laszlo and Mukherjee (2005). They
differ in two numbers: a round forms two groups if at least ``min_for_pair`` records remain, and one
group if at least ``min_for_single`` remain. Fewer remaining records are leftovers; see
`shoal._kernels.leftovers`.

================  ============  ==============  ====================
method            min_for_pair  min_for_single  leftovers
================  ============  ==============  ====================
MDAV              3k            2k              k to 2k - 1 or none
MDAV1             2k            k               0 to k - 1
MDAVClassic       2k            2k              0 to 2k - 1
CentroidMDAV      never         2k              k to 2k - 1
================  ============  ==============  ====================
"""

import sys

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.group_formation import form_group_around, outermost
from shoal._kernels.leftovers import join_nearest_centroid
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import needs_rebuild
from shoal._kernels.spatial.pool import (
    copy_record,
    farthest_position,
    form_group,
    mean_of_remaining,
    measure_distances,
    nearest_positions,
    open_pool,
)
from shoal._kernels.spatial.search import farthest, open_best_records

NO_PAIRS = sys.maxsize  # as ``min_for_pair``: more records than any table has


@compiled
def form_groups(index, k, min_for_pair, min_for_single, work):
    """Form groups until about ``work`` distances are measured; return whether to go on."""
    group = open_best_records(k)

    while index.size[0] >= min_for_single and work > 0 and not needs_rebuild(index):
        n_blocks_before = index.n_blocks_read[0]
        seed = outermost(index)
        opposite = seed
        forms_pair = index.size[0] >= min_for_pair
        if forms_pair:  # found before the first group takes records away
            opposite = farthest(index, index.X[seed])
        form_group_around(index, seed, group)
        if forms_pair:
            form_group_around(index, opposite, group)
        work -= BLOCK * (index.n_blocks_read[0] - n_blocks_before)

    return index.size[0] >= min_for_single


@compiled
def form_groups_on_pool(pool, k, min_for_pair, min_for_single, work):
    """Form groups as `form_groups` does, by passes over a pool: faster for short tables."""
    p = pool.columns.shape[0]
    mean, seed, opposite = np.empty(p), np.empty(p), np.empty(p)
    group = np.empty(k, np.int64)

    while pool.size[0] >= min_for_single and work > 0:
        forms_pair = pool.size[0] >= min_for_pair
        work -= 3 * pool.size[0]

        mean_of_remaining(pool, mean)
        measure_distances(pool, mean)
        copy_record(pool, farthest_position(pool), seed)
        measure_distances(pool, seed)
        if forms_pair:
            copy_record(pool, farthest_position(pool), opposite)
        nearest_positions(pool, group)
        form_group(pool, group)
        if forms_pair:
            measure_distances(pool, opposite)
            nearest_positions(pool, group)
            form_group(pool, group)

    return pool.size[0] >= min_for_single


def mdav1(X: np.ndarray, k: int) -> np.ndarray:
    """Return the groups of MDAV1 without reports of progress, for short tables or parts of one."""
    pool = open_pool(X)
    while form_groups_on_pool(pool, k, 2 * k, k, len(X)):
        pass
    join_nearest_centroid(X, pool.labels)
    return pool.labels
