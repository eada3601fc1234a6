"""The Pareto front of points with two coordinates, of which less is better."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Point = tuple[float, float]


def pareto_front(points: Mapping[Key, Point]) -> list[Key]:
    """Return the keys of the points that no other point dominates, in order of the points.

    A point dominates another one if it is nowhere greater and differs from it.

    Parameters
    ----------
    points : mapping of key to (float, float)
        Two numbers of each candidate, such as loss and risk.

    Returns
    -------
    list of key
        The front, from the least first coordinate on; equal points are all in it.

    Examples
    --------
    >>> pareto_front({"a": (3.0, 1.0), "b": (1.0, 2.0), "c": (3.0, 2.0)})
    ['b', 'a']
    """
    front = [
        key
        for key, point in points.items()
        if not any(_dominates(other, point) for other in points.values())
    ]
    return sorted(front, key=lambda key: points[key])


def _dominates(one: Point, other: Point) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]
