"""The assignment of leftovers, slow and readable."""

from twins.mdav import mean, squared


def join_nearest_centroid(X, groups, leftovers):
    """Assign each leftover to the group with the nearest centroid; the centroids stay fixed."""
    centroids = [mean(X, group) for group in groups]
    for i in leftovers:
        nearest = min(range(len(groups)), key=lambda g: (squared(X[i], centroids[g]), g))
        groups[nearest].append(i)


def assign_leftovers(X, groups, leftovers, k):
    """Make a group of k or more leftovers; assign fewer to the nearest groups."""
    if len(leftovers) >= k:
        groups.append(leftovers)
    else:
        join_nearest_centroid(X, groups, leftovers)
