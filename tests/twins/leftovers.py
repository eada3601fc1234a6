"""The assignment of left-overs, slow and readable."""

from twins.mdav import mean, squared


def join_nearest_centroid(X, groups, leftovers):
    """Assign each left-over to the group with the nearest centroid; the centroids stay fixed."""
    centroids = [mean(X, group) for group in groups]
    for i in leftovers:
        nearest = min(range(len(groups)), key=lambda g: (squared(X[i], centroids[g]), g))
        groups[nearest].append(i)


def assign_leftovers(X, groups, leftovers, k):
    """Make a group of k or more left-overs; assign fewer to the nearest groups."""
    if len(leftovers) >= k:
        groups.append(leftovers)
    else:
        join_nearest_centroid(X, groups, leftovers)
