"""The Pareto front of points with two coordinates; lower is better for both."""

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
        The front, sorted by the first coordinate; equal points are all in it.

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


def nearest_to_ideal(points: Mapping[Key, Point]) -> Key:
    """Return the point of the Pareto front that is closest to the ideal point.

    The ideal point has the minimum of each coordinate on the front. Both coordinates are scaled to
    [0, 1] between their minimum and maximum on the front. Ties go to the smallest second
    coordinate, such as the risk, then to the first of the points.

    Parameters
    ----------
    points : mapping of key to (float, float)
        Two numbers of each candidate, such as loss and risk; at least one candidate.

    Returns
    -------
    key
        The key of the point.

    Examples
    --------
    >>> nearest_to_ideal({"a": (0.0, 9.0), "b": (1.0, 2.0), "c": (9.0, 0.0)})
    'b'
    """
    front = pareto_front(points)
    (x_min, x_max), (y_min, y_max) = (
        (min(points[key][axis] for key in front), max(points[key][axis] for key in front))
        for axis in (0, 1)
    )

    def distance(key: Key) -> tuple[float, float]:
        x, y = points[key]
        x_share = (x - x_min) / (x_max - x_min) if x_max > x_min else 0.0
        y_share = (y - y_min) / (y_max - y_min) if y_max > y_min else 0.0
        return round(x_share**2 + y_share**2, 12), y  # equal distances may differ in the last digit

    return min(front, key=distance)


def reason_to_recommend(n_choices: int) -> str:
    """Return why the point of `nearest_to_ideal` is recommended among the points of a front.

    Parameters
    ----------
    n_choices : int
        The number of different points on the front.

    Returns
    -------
    str
        A clause that begins with a capital letter, without a full stop.

    Examples
    --------
    >>> reason_to_recommend(2)
    'Of the two choices on the Pareto front, it has less risk'
    """
    if n_choices == 1:
        return "No other run has less information loss or less risk"
    if n_choices == 2:
        return "Of the two choices on the Pareto front, it has less risk"
    return (
        f"Of the {n_choices:,} choices on the Pareto front, it is closest to the ideal point of"
        " least loss and least risk, with both scaled to their range on the front"
    )


def _dominates(point: Point, other: Point) -> bool:
    return point != other and point[0] <= other[0] and point[1] <= other[1]
