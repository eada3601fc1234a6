"""The plots of a report, each drawn from its part of the summary."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from shoal._text import count, shorten
from shoal.report.draw import LEFT, RIGHT, TICK_LETTER, TOP, WIDTH, Figure, Plot
from shoal.report.layout import NEGLIGIBLE_GAP

MAX_NAME = 40  # characters of the name of a column
MAX_BARS = 16  # bars of class sizes; more sizes are grouped into ranges
PLOT_WIDTH = WIDTH - LEFT - RIGHT  # room for the bars of class sizes
MAX_NUMBERED_COLUMNS = 8  # columns of a heat map whose cells show their numbers
MIN_CHANGE = 0.001  # smallest change of a correlation that is stated
MAX_OPACITY = 0.6  # opacity for a correlation of 1, on which a number is still readable


def class_sizes(sizes: Mapping[int, int], k: int) -> Figure:
    """Draw how many classes there are of each size."""
    bars = size_bars(sizes, k)
    max_count = max(n_classes for *_, n_classes in bars)
    labels = [str(low) if low == high else f"{low:,}–{high:,}" for low, high, _ in bars]
    longest = max(map(len, [*labels, *(f"{n_classes:,}" for *_, n_classes in bars)]))
    if TICK_LETTER * longest + 4 > PLOT_WIDTH / len(bars):
        return _size_rows(bars, labels, k)
    plot = Plot((0, len(bars)), (0, max_count * 1.12), width=WIDTH, height=260)
    plot.axes("records that look alike", "classes", x_ticks=False)
    for i, ((low, _, n_classes), label) in enumerate(zip(bars, labels, strict=True)):
        style = "after" if low >= k else "wrong"
        plot.box((i + 0.12, i + 0.88), (0, n_classes), style, _size_title(n_classes, label))
        plot.text(label, plot.x_position(i + 0.5), plot.y_position(0) + 17, style="tick")
        plot.text(
            f"{n_classes:,}", plot.x_position(i + 0.5), plot.y_position(n_classes) - 5, style="tick"
        )
    return _size_figure(plot, bars)


def _size_rows(bars: Sequence[tuple[int, int, int]], labels: Sequence[str], k: int) -> Figure:
    """Draw the class sizes from top to bottom, since the labels need more room than the bars."""
    max_count = max(n_classes for *_, n_classes in bars)
    plot = Plot((0, max_count * 1.2), (len(bars), 0), height=56 + 22 * len(bars), left=120)
    plot.y = (float(len(bars)), 0.0)  # the smallest size on top
    plot.axes("classes", "records that look alike", y_ticks=False)
    for i, ((low, _, n_classes), label) in enumerate(zip(bars, labels, strict=True)):
        style = "after" if low >= k else "wrong"
        plot.box((0, n_classes), (i + 0.14, i + 0.86), style, _size_title(n_classes, label))
        middle = plot.y_position(i + 0.5) + 4
        plot.text(label, plot.left - 6, middle, "end", "tick")
        plot.text(f"{n_classes:,}", plot.x_position(n_classes) + 5, middle, "start", "tick")
    return _size_figure(plot, bars)


def _size_title(n_classes: int, label: str) -> str:
    """Return the tooltip of a bar of class sizes."""
    return f"{count(n_classes, 'class', 'classes')} of {label} records"


def _size_figure(plot: Plot, bars: Sequence[tuple[int, int, int]]) -> Figure:
    smallest, largest = bars[0][0], bars[-1][1]
    sizes = f"the smallest holds {smallest:,}, the largest {largest:,}"
    if smallest == largest:
        sizes = f"all hold {smallest:,}"
    n_all = sum(n_classes for *_, n_classes in bars)
    description = f"{n_all:,} classes of records that look alike; {sizes} records."
    return Figure("How many records look alike", description, plot.width, plot.height, plot.marks)


def distribution(entry: Mapping[str, Any]) -> Figure:
    """Draw one column before and after."""
    return _category_figure(entry) if "categories" in entry else _number_figure(entry)


def heat_map(
    title: str,
    description: str,
    columns: Sequence[str],
    cells: Sequence[Any],
    *,
    signed: bool = True,
) -> Figure:
    """Draw a matrix of numbers in [-1, 1] (differences: [-2, 2]), or in [0, 1] without a sign."""
    n_columns = len(columns)
    side = max(18, min(40, 300 // n_columns))
    left = 132
    width, height = left + side * n_columns + 14, TOP + side * n_columns + 24
    plot = Plot((0, 1), (0, 1), width=width, height=height)
    for i, row in enumerate(columns):
        plot.label(f"{i + 1} {row}", left - 6, TOP + side * (i + 0.5) + 4)
        plot.text(str(i + 1), left + side * (i + 0.5), TOP + side * n_columns + 16, style="tick")
        for j, value in enumerate(cells[i]):
            attributes = {"x": left + side * j, "y": TOP + side * i, "width": side, "height": side}
            attributes["fill-opacity"] = round(MAX_OPACITY * min(1.0, abs(value)), 3)
            style = "plus cell" if value >= 0 else "minus cell"
            plot.add_mark(
                "rect", attributes, style, title=f"{row} and {columns[j]}: {_format_signed(value)}"
            )
            if n_columns <= MAX_NUMBERED_COLUMNS:
                centre = left + side * (j + 0.5), TOP + side * (i + 0.5) + 4
                plot.text(_format_signed(value), *centre, style="value")
    heading = ["column", *(f"{index + 1}" for index in range(n_columns))]
    rows = [
        [f"{index + 1} {name}", *(_format_signed(value) for value in cells[index])]
        for index, name in enumerate(columns)
    ]
    legend = [("plus", "positive"), ("minus", "negative")] if signed else []
    return Figure(title, description, width, height, plot.marks, legend, [heading, *rows])


def hierarchy(entry: Mapping[str, Any]) -> Figure:
    """Draw the levels of a hierarchy from the top, each category above those below it."""
    levels = entry["levels"][::-1]
    row_height, left = 26, 62
    values = sum(levels[0]["widths"])
    plot = Plot((0, 1), (0, 1), width=WIDTH, height=TOP + row_height * len(levels) + 8)
    for i, level in enumerate(levels):
        number, share = len(levels) - 1 - i, level["share"]
        plot.text(f"level {number}", left - 6, TOP + row_height * (i + 0.5) + 4, "end", "tick")
        start = 0
        for width in level["widths"] or [values]:
            attributes = {
                "x": round(left + PLOT_WIDTH * start / values, 2),
                "y": TOP + row_height * i,
                "width": round(PLOT_WIDTH * width / values, 2),
                "height": row_height,
                "fill-opacity": round(MAX_OPACITY * share, 3),
            }
            width_phrase = f"a category of {width:,} of {values:,} values"
            title = width_phrase if level["widths"] else f"{level['categories']:,} categories"
            plot.add_mark("rect", attributes, "plus cell", title=f"level {number}: {title}")
            start += width
        if share:
            middle = left + PLOT_WIDTH / 2, TOP + row_height * (i + 0.5) + 4
            plot.text(f"{100 * share:.3g} % of the cells", *middle, style="value")
    counts = ", ".join(f"{level['categories']:,}" for level in entry["levels"])
    description = f"Categories from level 0 to the top: {counts}."
    return Figure(
        f"Hierarchy of {entry['column']}", description, plot.width, plot.height, plot.marks
    )


def correlations(entry: Mapping[str, Any]) -> list[Figure]:
    """Draw the correlations before, after, and how they changed."""
    names = entry["columns"]
    change_description = _largest_change(entry)
    original_description = f"In the original table.{_left_out_sentence(entry)}"
    return [
        heat_map("Correlations before", original_description, names, entry["before"]),
        heat_map("Correlations after", "In the release.", names, entry["after"]),
        heat_map("Change of the correlations", change_description, names, entry["difference"]),
    ]


def associations(entry: Mapping[str, Any]) -> list[Figure]:
    """Draw the associations of categories before, after, and how they changed."""
    names = entry["columns"]
    change_description = _largest_change(entry)
    measure_description = "Cramér's V: 0 for independent columns, 1 if one determines the other."
    return [
        heat_map(
            "Associations before",
            f"In the original table. {measure_description}{_left_out_sentence(entry)}",
            names,
            entry["before"],
            signed=False,
        ),
        heat_map("Associations after", "In the release.", names, entry["after"], signed=False),
        heat_map("Change of the associations", change_description, names, entry["difference"]),
    ]


def _left_out_sentence(entry: Mapping[str, Any]) -> str:
    """Return a sentence on the columns that a matrix does not show, or an empty string."""
    number = entry.get("columns_left_out", 0)
    if not number:
        return ""
    return f" There is no room for {count(number, 'more column')}."


def _largest_change(entry: Mapping[str, Any]) -> str:
    """Return a sentence on the pair of columns whose value changed most."""
    names = entry["columns"]
    largest, first, second = max(
        (abs(value), names[i], names[j])
        for i, row in enumerate(entry["difference"])
        for j, value in enumerate(row[:i])
    )
    if largest < MIN_CHANGE:
        return f"No value changes by {MIN_CHANGE} or more."
    return f"The largest change is {largest:.2g}, between {first} and {second}."


def proven_gap(loss: float, gap: float) -> Figure:
    """Draw how much of the loss is proven to be unavoidable."""
    unavoidable = loss / (1 + gap)
    plot = Plot((0, max(loss, 1e-9) * 1.05), (0, 1), width=WIDTH, height=110)
    plot.axes("information loss in %", "", y_ticks=False)
    plot.box((0, unavoidable), (0.15, 0.85), "after", f"at least {unavoidable:.2f} % must be lost")
    plot.box(
        (unavoidable, loss), (0.15, 0.85), "before", f"{loss - unavoidable:.2f} % may be avoidable"
    )
    description = (
        f"The release loses {loss:.2f} %. No groups of at least k records lose less than"
        f" {unavoidable:.2f} %: this is proven, not estimated."
    )
    legend = [("after", "must be lost"), ("before", "may be avoidable, at most")]
    if gap < NEGLIGIBLE_GAP:
        description = (
            f"The release loses {loss:.2f} %, and no groups of at least k records lose less."
        )
        legend = legend[:1]
    title = "How close the loss is to the least possible"
    return Figure(title, description, WIDTH, 110, plot.marks, legend)


def _number_figure(entry: Mapping[str, Any]) -> Figure:
    """Draw a numeric column: bars before, an outline after."""
    edges, original_counts, released_counts = entry["edges"], entry["before"], entry["after"]
    step = edges[1] - edges[0] if len(edges) > 1 else 1.0
    bounds = [edges[0] - step, *edges, edges[-1] + step]
    records = sum(released_counts)
    shares = [None if count is None else 100 * count / records for count in original_counts]
    released = [100 * count / records for count in released_counts]
    y_max = max(*(share or 0 for share in shares), *released) * 1.08
    years = bool(entry.get("years"))
    plot = Plot((bounds[0], bounds[-1]), (0, y_max), years=years)
    plot.axes(shorten(entry["column"], MAX_NAME), "% of the records")
    names = _bin_names(edges, years=years)
    for (low, high), share, name in zip(pairwise(bounds), shares, names, strict=True):
        if share:
            plot.box((low, high), (0, share), "before", f"{name}: {share:.1f} % before")
    steps = [(bounds[0], 0.0)]
    for (low, high), share in zip(pairwise(bounds), released, strict=True):
        steps += [(low, share), (high, share)]
    plot.path([*steps, (bounds[-1], 0.0)], "outline")
    rows = [["values", "before", "after"]] + [
        [name, "few or none" if share is None else f"{share:.1f} %", f"{released_share:.1f} %"]
        for name, share, released_share in zip(names, shares, released, strict=True)
    ]
    return Figure(
        f"{entry['column']} before and after",
        _withheld_sentence(entry["withheld"]),
        plot.width,
        plot.height,
        plot.marks,
        [("before", "before"), ("outline", "after")],
        rows,
    )


def _category_figure(entry: Mapping[str, Any]) -> Figure:
    """Draw a categorical column: two bars for each."""
    names = list(entry["categories"])
    if entry["others"]:
        names.append(f"{entry['others']} others")
    height = 56 + 34 * len(names)
    records = max(1, sum(entry["after"]))
    pairs = [
        (100 * original_share / records, 100 * released_share / records)
        for original_share, released_share in zip(entry["before"], entry["after"], strict=True)
    ]
    x_max = max((max(pair) for pair in pairs), default=1) * 1.05
    plot = Plot((0, x_max), (len(names), 0), height=height, left=120)
    plot.y = (float(len(names)), 0.0)  # the first category on top
    plot.axes("% of the records", "", y_ticks=False)
    for i, (name, (original_share, released_share)) in enumerate(zip(names, pairs, strict=True)):
        plot.box(
            (0, original_share),
            (i + 0.12, i + 0.5),
            "before",
            f"{name}: {original_share:.1f} % before",
        )
        plot.box(
            (0, released_share),
            (i + 0.5, i + 0.88),
            "after",
            f"{name}: {released_share:.1f} % after",
        )
        plot.label(name, plot.left - 6, plot.y_position(i + 0.5) + 4)
    rows = [["category", "before", "after"]] + [
        [name, f"{original_share:.1f} %", f"{released_share:.1f} %"]
        for name, (original_share, released_share) in zip(names, pairs, strict=True)
    ]
    return Figure(
        f"{entry['column']} before and after",
        "Categories of few records are combined." if entry["others"] else "",
        plot.width,
        plot.height,
        plot.marks,
        [("before", "before"), ("after", "after")],
        rows,
    )


def size_bars(sizes: Mapping[int, int], k: int) -> list[tuple[int, int, int]]:
    """Return smallest size, largest size and count of each bar of class sizes."""
    sizes = {int(size): count for size, count in sizes.items()}
    if len(sizes) <= MAX_BARS:
        return [(size, size, count) for size, count in sorted(sizes.items())]
    edges = [1, k] if k > 1 else [1]
    while edges[-1] <= max(sizes):
        edges.append(2 * edges[-1])
    bars = []
    for low, high in pairwise(edges):
        inside = [size for size in sizes if low <= size < high]
        if inside:
            bars.append((min(inside), max(inside), sum(sizes[size] for size in inside)))
    return bars


def _bin_names(edges: Sequence[float], *, years: bool) -> list[str]:
    """Return the bins of a histogram in words; the first and the last are open."""
    labels = [f"{edge:.6g}" if years else f"{edge:,.6g}" for edge in edges]
    inner = [f"{low} to {high}" for low, high in pairwise(labels)]
    return [f"below {labels[0]}", *inner, f"from {labels[-1]}"]


def _format_signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")  # no negative zero


def _withheld_sentence(n_records: int) -> str:
    """Return a sentence on the records that a histogram does not show, or an empty string."""
    if not n_records:
        return ""
    verb = "is" if n_records == 1 else "are"
    return f"{count(n_records, 'original record')} {verb} in bins with too few records to be shown."
