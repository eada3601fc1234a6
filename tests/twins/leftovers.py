"""The assignment of left-overs, slow and readable."""

from twins.mdav import mean, squared


def join_nearest_centroid(X, groups, left):
    """Send each left-over to the group with the nearest centroid; the centroids stay frozen."""
    centroids = [mean(X, group) for group in groups]
    for i in left:
        nearest = min(range(len(groups)), key=lambda g: (squared(X[i], centroids[g]), g))
        groups[nearest].append(i)


def assign_leftovers(X, groups, left, k):
    """Make a group of k or more left-overs; send fewer to the nearest groups."""
    if len(left) >= k:
        groups.append(left)
    else:
        join_nearest_centroid(X, groups, left)
