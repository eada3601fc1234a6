"""How a measure moves with k on the example, and what it looks at."""

from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from making import draw, example
from shoal import lower_bound
from shoal.metrics import MEASURE_INFO, MEASURES, inputs_of, needs
from shoal.partitioners import MDAV

KS = range(2, 11)
LEFT, RIGHT, TOP, BOTTOM = 56.0, 120.0, 16.0, 40.0
NO_NUMBER = ("class_sizes",)  # a count by size is no curve


@cache
def labels(k: int) -> NDArray[np.int64]:
    """Return the groups of mdav."""
    return np.asarray(MDAV(k=k).fit_predict(example.table()))


@cache
def given(k: int) -> Mapping[str, Any]:
    """Return everything a measure may need, of the example masked with k."""
    X = example.table()
    masked = example.masked(labels(k), X)
    return {
        "original": X,
        "masked": masked,
        "released": masked,
        "confidential": example.confidential(),
        "confidential_codes": example.confidential(),
        "ordered": [True],
        "weights": np.random.default_rng(42).integers(1, 10, (len(X), 1)).astype(float),
        "units": np.arange(len(X)) // 2,  # persons with two records each
        "lower_bound": lower_bound(X, k),
        "original_categories": _categories(X),
        "masked_categories": _categories(masked),
    }


def _categories(X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return numbers as categories: their quarters of the example's range."""
    low, high = example.table().min(axis=0), example.table().max(axis=0)
    return np.clip(4 * (X - low) / (high - low), 0, 3).astype(np.int64)


def wanted(name: str) -> list[str]:
    """Return the inputs that a measure requires, and confidential columns if it takes them."""
    also = [need for need in inputs_of(name) if need == "confidential"]
    return list(dict.fromkeys([*needs(name), *also]))


def computed(name: str, k: int) -> dict[str, float]:
    """Return the values of a measure, by column or part."""
    result = MEASURES[name](**{need: given(k)[need] for need in wanted(name)})
    parts = result if isinstance(result, dict) else {"": result}
    numbers = {}
    for part, value in parts.items():
        values = np.atleast_1d(np.asarray(value, float))
        for column, number in enumerate(values, 1):
            column_name = f"column {column}" if len(values) > 1 else ""
            numbers[" ".join(filter(None, [str(part), column_name]))] = float(number)
    return numbers


def steps_up_to(high: float) -> list[float]:
    """Return a few round numbers from 0 to ``high`` or just above."""
    power = 10.0 ** np.floor(np.log10(high / 4)) if high > 0 else 0.25
    step = next(power * m for m in (1, 2, 2.5, 5, 10, 20) if power * m * 4 >= high)
    return [step * i for i in range(int(np.ceil(high / step - 1e-9)) + 1)] or [0.0, 1.0]


def chart(lines: Mapping[str, list[float]], unit: str, label: str) -> str:
    """Return lines over k."""
    ticks = steps_up_to(max(max(line) for line in lines.values()))
    top = ticks[-1] or 1.0

    def x(k: float) -> float:
        share = (k - KS[0]) / (KS[-1] - KS[0])
        return round(LEFT + share * (draw.WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(draw.HEIGHT - BOTTOM - value / top * (draw.HEIGHT - TOP - BOTTOM), 1)

    marks = []
    for tick in ticks:
        marks.append(f'<path class="scale" d="M{LEFT},{y(tick)}H{x(KS[-1])}"/>')
        marks.append(f'<text x="{LEFT - 8}" y="{y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    for k in KS:
        marks.append(f'<text x="{x(k)}" y="{y(0) + 18}" text-anchor="middle">{k}</text>')
    marks.append(f'<text x="{x(6)}" y="{y(0) + 35}" text-anchor="middle">k</text>')
    if unit:
        marks.append(f'<text x="4" y="{TOP - 3}">{escape(unit)}</text>')
    ends: list[float] = []
    for at, (name, values) in enumerate(lines.items()):
        path = " ".join(f"{x(k)},{y(v)}" for k, v in zip(KS, values, strict=True))
        marks.append(f'<polyline class="curve c{at}" points="{path}"/>')
        height = _free(y(values[-1]) + 4, ends)
        marks.append(f'<text x="{x(KS[-1]) + 8}" y="{height}">{escape(name)}</text>')
    box = f"0 0 {draw.WIDTH:g} {draw.HEIGHT:g}"
    opening = f'<svg class="shoal" viewBox="{box}" role="img" aria-label="{escape(label)}">'
    return opening + "".join(marks) + "</svg>"


def _free(height: float, taken: list[float]) -> float:
    """Return a height near ``height`` at which there is no name yet."""
    while any(abs(height - other) < 15 for other in taken):
        height -= 15
    taken.append(height)
    return height


def lost(canvas: draw.Canvas) -> None:
    """Draw how far each record is from what is released in its place."""
    masked = given(example.K)["masked"]
    for record, mean in zip(example.table(), masked, strict=True):
        canvas.line([record, mean])


def sizes(canvas: draw.Canvas) -> None:
    """Write beside each class how many records look alike in it."""
    X, groups = example.table(), labels(example.K)
    for group, size in enumerate(np.bincount(groups)):
        canvas.text(X[groups == group].mean(axis=0) + 0.06, str(size))


def values(canvas: draw.Canvas) -> None:
    """Write the confidential value beside each record."""
    canvas.labels(example.table(), [f"{value + 0:g}" for value in example.confidential()[:, 0]])


def links(canvas: draw.Canvas) -> None:
    """Draw a line from what is released to the original records nearest to it."""
    X, masked = example.table(), given(example.K)["masked"]
    own = [(values / values.std(axis=0)) for values in (X, masked)]
    for mean in np.unique(labels(example.K)):
        row = int(np.flatnonzero(labels(example.K) == mean)[0])
        apart = ((own[0] - own[1][row]) ** 2).sum(axis=1)
        canvas.line([masked[row], X[int(apart.argmin())]], "link")


LOST = "Each line leads from a record to the mean that is released in its place."
SIZES = "The numbers say how many records look alike."
VALUES = (
    "The numbers are confidential values, as many as have room: look for groups where they are all"
    " the same."
)
LINKS = "Each line leads from a released mean to the original record nearest to it."
LOOKS: Mapping[str, tuple[Callable[[draw.Canvas], None], str]] = {
    **dict.fromkeys(["information_loss", "euclidean_loss", "il1s", "distortion_x"], (lost, LOST)),
    **dict.fromkeys(["smallest_class", "class_sizes", "reidentification"], (sizes, SIZES)),
    **dict.fromkeys(
        ["l_diversity", "p_sensitivity", "homogeneous_classes", "average_diversity", "t_closeness"],
        (values, VALUES),
    ),
    **dict.fromkeys(["linkage", "linkage_top2"], (links, LINKS)),
}


def picture(name: str) -> str:
    """Return what a measure looks at, where that can be drawn, and how it moves with k."""
    shown = [_look(name)] if name in LOOKS else []
    if name not in NO_NUMBER:
        actual = [computed(name, k) for k in KS]
        lines = {part: [numbers[part] for numbers in actual] for part in actual[0]}
        caption = (
            f"{name} of the small table on the pages of methods, masked by mdav with k = {KS[0]} to"
            f" {KS[-1]}."
        )
        shown.append(draw.figure(chart(lines, MEASURE_INFO[name].unit, caption), caption))
    return "\n\n".join(shown)


def _look(name: str) -> str:
    overlay, words = LOOKS[name]
    X = example.table()
    canvas = draw.Canvas(X)
    draw.groups(canvas, X, labels(example.K))
    overlay(canvas)
    numbers = computed(name, example.K) if name not in NO_NUMBER else {}
    text = ", ".join(f"{part} {number:.4g}".strip() for part, number in numbers.items())
    actual = f"The small table masked by mdav with k = {example.K}"
    caption = f"{actual}: {name} is {text}." if text else f"{actual}."
    return draw.figure(canvas.svg(caption), f"{caption} {words}")
