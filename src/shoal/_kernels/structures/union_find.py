"""Sets that are joined: each is a tree of parents, and its root stands for it."""

from shoal._kernels._compile import compiled


@compiled
def find_root(parent, item):
    """Return the root of the set that holds ``item``; shorten the path to it on the way."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item
