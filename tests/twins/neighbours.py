"""Nearest neighbours, slow and readable: sort all others by distance."""

from twins.mdav import nearest


def neighbours(X, m):
    everyone = range(len(X))
    return [nearest(X, [j for j in everyone if j != i], X[i], m) for i in everyone]
