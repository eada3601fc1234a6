"""Drawings of the idea of each method, over its groups."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree

from making import draw, example
from shoal.partitioners._record_blocks import split_into_blocks
from shoal.partitioners._scores import score

Canvas = draw.Canvas
Idea = tuple[Callable[[Canvas], None], str]


def distances() -> NDArray[np.float64]:
    """Return the distances between all records of the example."""
    X = example.table()
    return np.asarray(np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2)))


def ends(canvas: Canvas) -> None:
    """Mark the mean, the record farthest from it and the record farthest from this record."""
    X = example.table()
    first = _farthest_from_the_mean(canvas)
    second = int(distances()[first].argmax())
    canvas.ring(X[second])
    canvas.line([X[first], X[second]], "guide")


def outermost(canvas: Canvas) -> None:
    """Mark the mean and the record farthest from it."""
    _farthest_from_the_mean(canvas)


def _farthest_from_the_mean(canvas: Canvas) -> int:
    X = example.table()
    far = int(((X - X.mean(axis=0)) ** 2).sum(axis=1).argmax())
    canvas.cross(X.mean(axis=0), "mean", 9)
    canvas.line([X.mean(axis=0), X[far]], "guide")
    canvas.ring(X[far])
    return far


def densest(canvas: Canvas) -> None:
    """Mark the record whose nearest neighbours lie closest together."""
    X = example.table()
    near = np.argsort(distances(), axis=1, kind="stable")[:, : example.K]
    spread = [((X[rows] - X[rows].mean(axis=0)) ** 2).sum() for rows in near]
    canvas.ring(X[int(np.argmin(spread))])


def farthest_pair(canvas: Canvas) -> None:
    """Mark the two records that lie farthest apart."""
    X = example.table()
    pair = np.unravel_index(distances().argmax(), (len(X), len(X)))
    canvas.line([X[i] for i in pair], "guide")
    for i in pair:
        canvas.ring(X[i])


def tree(canvas: Canvas) -> None:
    """Draw the shortest tree over all records."""
    X = example.table()
    edges = minimum_spanning_tree(distances()).tocoo()
    for i, j in zip(edges.row, edges.col, strict=True):
        canvas.line([X[i], X[j]])


def nearest(canvas: Canvas) -> None:
    """Draw a line from each record to its nearest neighbour."""
    X, apart = example.table(), distances()
    np.fill_diagonal(apart, np.inf)
    for i, j in enumerate(apart.argmin(axis=1)):
        canvas.line([X[i], X[j]])


def lightest(canvas: Canvas) -> None:
    """Draw the edges within pairs and triples: in a triple, the two shorter edges."""
    X, apart = example.table(), distances()
    labels = example.grouped("two-mu-approx").labels_
    for group in range(labels.max() + 1):
        rows = np.flatnonzero(labels == group)
        pairs = [(i, j) for at, i in enumerate(rows) for j in rows[at + 1 :]]
        for i, j in sorted(pairs, key=lambda pair: apart[pair])[: len(rows) - 1]:
            canvas.line([X[i], X[j]])


def along(canvas: Canvas) -> None:
    """Draw the path through the records in the order of the score."""
    X = example.table()
    canvas.line(X[np.argsort(score(X, "first-component"), kind="stable")], "guide")


def corners(canvas: Canvas) -> None:
    """Mark the two fixed points."""
    X = example.table()
    for value in (X.min(), X.max()):
        canvas.cross(np.array([value, value]), "mean", 9)


def borders(canvas: Canvas) -> None:
    """Draw the blocks."""
    X = example.table()
    for rows in split_into_blocks(X, example.BLOCK, example.K):
        canvas.area(X[rows], "before")


def start(canvas: Canvas) -> None:
    """Draw the groups that the effort began with."""
    draw.groups(canvas, example.table(), example.grouped("mdav").labels_, "before")


MEAN = "The large cross is the mean of all records, the ring the record farthest from it"
PAIR = f"{MEAN}; from there the line leads to the record farthest from that one."
FIRST = f"{MEAN}: the first group forms around it."
DENSEST = "The ring marks the densest record: the first group forms around it."
PATH = "The dashed line connects the records in the order of the first principal component."
BLOCKS = "Dashed lines are the blocks before the seams are refined; real blocks are much larger."
BEGUN = "Dashed lines are the groups of mdav, the starting point."

IDEAS: dict[str, Idea] = {
    "mdav": (ends, PAIR),
    "mdav1": (ends, PAIR),
    "mdav2": (ends, PAIR),
    "mdav-classic": (ends, PAIR),
    "centroid-mdav": (outermost, FIRST),
    "vmdav": (outermost, FIRST),
    "cvmdav": (outermost, FIRST),
    "dba1": (densest, DENSEST),
    "dba2": (densest, DENSEST),
    "md": (farthest_pair, "The rings mark the two records that lie farthest apart."),
    "mward": (farthest_pair, "The rings mark the two records from which the first groups grow."),
    "mhm": (ends, PAIR),
    "threshold": (nearest, "A line leads from each record to its nearest neighbour."),
    "mst": (tree, "The lines are the minimum spanning tree, which is cut into groups."),
    "mu-approx": (nearest, "A line leads from each record to its nearest neighbour."),
    "two-mu-approx": (lightest, "The lines are the lightest edges that cover all records."),
    "sorted": (along, PATH),
    "univariate": (along, PATH),
    "tfrp": (corners, "The large crosses are the two fixed points."),
    "blocked": (borders, BLOCKS),
    "refine": (start, BEGUN),
    "search": (start, BEGUN),
    "prove": (start, BEGUN),
    "auto": (start, BEGUN),
}

NO_IDEA: Idea = (lambda canvas: None, "")


def drawing(method: str) -> str:
    """Return the groups of a method on the example, and what it looks at."""
    X, fitted = example.table(), example.grouped(method)
    overlay, _ = IDEAS.get(method, NO_IDEA)
    reach = np.array([[X.min()] * 2, [X.max()] * 2]) if method == "tfrp" else X
    canvas = Canvas(np.concatenate([X, reach]))
    draw.groups(canvas, X, fitted.labels_)
    overlay(canvas)
    return canvas.svg(result(method))


def result(method: str) -> str:
    """Describe the result of a method on the example."""
    fitted = example.grouped(method)
    sizes, k = fitted.partition_.sizes, int(fitted.k)
    return (
        f"{method} on {len(fitted.labels_)} records with k = {k}: {len(sizes)} groups of"
        f" {sizes.min()} to {sizes.max()}, {example.loss(fitted.labels_):.2f} % of the variance"
        f" lost; the minimum is {example.least(k):.2f} %."
    )


def picture(method: str) -> str:
    """Return the drawing of a method with its caption."""
    _, words = IDEAS.get(method, NO_IDEA)
    caption = f"{result(method)} Small crosses are the means that are released. {words}".strip()
    return draw.figure(drawing(method), caption)
