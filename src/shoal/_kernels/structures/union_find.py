"""Union-find: each set is a tree of parents, represented by its root."""

from shoal._kernels._compile import compiled


@compiled
def find_root(parent, item):
    """Return the root of the set that contains ``item``, with path compression."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item
