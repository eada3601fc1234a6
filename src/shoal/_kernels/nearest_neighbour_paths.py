"""Orders of the records in which each one is followed by a near one, for MHM.

They are the paths of Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006).
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.spatial.pool import assign, measure_distances, nearest_positions


@compiled
def extend_path_to_nearest(pool, path, X, work):
    """Extend a path to the nearest remaining record, again and again; return whether to go on.

    The kernel stops after about ``work`` distances. ``path`` contains the records in order; the
    first of them is already removed from the pool.
    """
    n = X.shape[0]
    position = np.empty(1, np.int64)
    while pool.size[0] > 0 and work > 0:
        work -= pool.size[0]
        measure_distances(pool, X[path[n - pool.size[0] - 1]])
        nearest_positions(pool, position)
        path[n - pool.size[0]] = pool.records[position[0]]
        assign(pool, position[0], 0)
    return pool.size[0] > 0


@compiled
def path_through_groups(X, members, start, order, first):
    """Return the records group by group, each followed by the nearest remaining one of its group.

    ``members[start[group] : start[group + 1]]`` are the records of a group, ``order`` the groups
    in the order to visit, and ``first`` the record to begin with. A group begins with the record
    nearest to the last of the group before. Ties go to the lowest record.
    """
    path = np.empty(members.shape[0], np.int64)
    n_visited, last = 0, first
    for group in order:
        remaining = members[start[group] : start[group + 1]].copy()
        size = remaining.shape[0]
        while size > 0:
            best, least = 0, np.inf
            for position in range(size):
                square = squared_row_distance(X, remaining[position], X, last)
                if square < least or (square == least and remaining[position] < remaining[best]):
                    best, least = position, square
            last = remaining[best]
            remaining[best] = remaining[size - 1]
            size -= 1
            path[n_visited] = last
            n_visited += 1
    return path
