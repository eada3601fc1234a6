"""Nearest neighbours, slow and readable: sort all others by distance."""

from twins.mdav import nearest


def neighbours(X, m):
    all_records = range(len(X))
    return [nearest(X, [j for j in all_records if j != i], X[i], m) for i in all_records]
