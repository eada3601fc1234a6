"""Figures 8 to 12: both distortions over k and lambda."""

from itertools import pairwise

from reproduction.dependence.sweeps import (
    LAMBDAS,
    REAL_KS,
    SYNTHETIC_KS,
    Point,
    rounded,
    sources,
    sweep,
)
from reproduction.figure import Figure, Panel, Series
from reproduction.page import Claim, Claims, NumberTable

FARTHEST = 3.0  # relative increment that is still drawn


def figure_8() -> Figure:
    """Both distortions against k, for the two ends of lambda."""
    panels = []
    for name, source in sources().items():
        points = sweep(name)
        series = tuple(
            Series(
                f"$D_{axis.upper()}$, λ = {weight:g}",
                source.ks,
                rounded(getattr(points[k, weight], axis) for k in source.ks),
                style,
            )
            for weight in (0.0, 1.0)
            for axis, style in (("x", "o-"), ("y", "s--"))
        )
        panels.append(Panel(source.title, "k", "distortion", series))
    caption = (
        "Distortion of the quasi-identifiers and of the confidential columns against k, for the two"
        " ends of λ. The paper's caption names the Gaussian tables alone; we draw all four. The"
        " digits stand below Figures 9 to 12."
    )
    return Figure("dependence-figure-8", "Figure 8", caption, tuple(panels))


def trade_off(number: int, name: str) -> Figure:
    """D_Y against D_X, and the relative increments, one curve for each k."""
    source = sources()[name]
    absolute, relative = [], []
    for k in source.ks:
        curve = _curve(name, k)
        x, y = [point.x for point in curve], [point.y for point in curve]
        rise, fall = [value / x[0] - 1 for value in x], [value / y[0] - 1 for value in y]
        absolute.append(Series(f"k = {k}", rounded(x), rounded(y), "o-"))
        relative.append(Series(f"k = {k}", rounded(rise), rounded(fall), "o-"))
    title = "(b) relative to λ = 0"
    across, up = "relative increment of $D_X$", "relative increment of $D_Y$"
    panels = (
        Panel(f"(a) {source.title}", "$D_X$", "$D_Y$", tuple(absolute)),
        Panel(title, across, up, tuple(relative), diagonal=True, x_max=FARTHEST),
    )
    caption = (
        f"{source.title}: MDAV with λ from 0 (upper left end of each curve) to 1, in steps of 0.1."
        " On the dotted line, distortion grows by the share by which dependence improves."
        f" Increments of D_X beyond {FARTHEST:g} lie outside (b)."
    )
    return Figure(f"dependence-figure-{number}", f"Figure {number}", caption, panels)


def trade_off_numbers(number: int, name: str) -> NumberTable:
    """The same in digits."""
    rows = {
        f"D_{axis.upper()}, k = {k}": [getattr(point, axis) for point in _curve(name, k)]
        for k in sources()[name].ks
        for axis in "xy"
    }
    columns = tuple(f"λ = {weight:g}" for weight in LAMBDAS)
    return NumberTable(f"Figure {number} in digits", columns, rows)


def claims_on_8() -> Claims:
    """What the paper reads off Figure 8."""
    ends = [(_curve(name, k)[0], _curve(name, k)[-1]) for name, k in _runs()]
    ordered = sum(low.x <= low.y and high.y <= high.x for low, high in ends)
    grows = [
        later > earlier
        for name, source in sources().items()
        for axis, weight in (("x", 0.0), ("y", 1.0))
        for earlier, later in pairwise(getattr(sweep(name)[k, weight], axis) for k in source.ks)
    ]
    gaps = {
        k: [low.y - low.x for low in (sweep(f"gaussian {rho}")[k, 0.0] for rho in (0.5, 0.9))]
        for k in SYNTHETIC_KS
    }
    text = "; ".join(f"k = {k}: {weak:.2f}, {strong:.2f}" for k, (weak, strong) in gaps.items())
    claims = (
        Claim(
            "D_X is at most D_Y at λ = 0, and D_Y at most D_X at λ = 1.",
            f"So for {ordered} of {len(ends)} pairs of table and k.",
            ordered == len(ends),
        ),
        Claim(
            "The distortion that is minimised grows with k.",
            f"It does in {sum(grows)} of {len(grows)} steps from one k to the next.",
            all(grows),
        ),
        Claim(
            "The other distortion is nearer to it where the dependence is stronger.",
            f"At λ = 0, D_Y exceeds D_X by (ρ = 0.5, ρ = 0.9) {text}.",
            all(weak > strong for weak, strong in gaps.values()),
        ),
    )
    return Claims("Claims on Figure 8", "", claims)


def claims_on_9_to_12() -> Claims:
    """What the paper reads off Figures 9 to 12."""
    claims = (_falls(), _grows(), _starts_steeply(), _is_worth_it())
    return Claims("Claims on Figures 9 to 12", "", claims)


def _falls() -> Claim:
    falls = [b.y <= a.y for run in _runs() for a, b in pairwise(_curve(*run))]
    return Claim(
        "For a given k, D_Y falls as λ grows, though not always: MDAV is a heuristic.",
        f"It falls in {sum(falls)} of {len(falls)} steps of λ.",
        0.8 < sum(falls) / len(falls) < 1,
    )


def _grows() -> Claim:
    grows = [
        getattr(b, axis) > getattr(a, axis)
        for name, source in sources().items()
        for less, more in pairwise(source.ks)
        for a, b in zip(_curve(name, less), _curve(name, more), strict=True)
        for axis in "xy"
    ]
    return Claim(
        "For greater k both distortions increase, whatever λ.",
        f"They do in {sum(grows)} of {len(grows)} steps from one k to the next.",
        sum(grows) / len(grows) > 0.95,
    )


def _starts_steeply() -> Claim:
    slopes = {name: _slope(_curve(name, min(source.ks))) for name, source in sources().items()}
    text = ", ".join(f"{slope:.0f} ({sources()[name].title})" for name, slope in slopes.items())
    return Claim(
        "At the least k, the curves of all four tables start steeply at λ = 0.",
        f"From λ = 0 to 0.1, D_Y falls by so many times what D_X gains: {text}.",
        all(slope > 2 for slope in slopes.values()),
    )


def _is_worth_it() -> Claim:
    starts = {run: _curve(*run)[:2] for run in _runs() if "gaussian" not in run[0]}
    better = {run: 1 - b.y / a.y > b.x / a.x - 1 for run, (a, b) in starts.items()}
    worse = [f"{sources()[name].title}, k = {k}" for (name, k), good in better.items() if not good]
    return Claim(
        "In both real tables the relative gain exceeds the relative price, above all for low λ and"
        " low k.",
        f"At λ = 0.1 it does for {sum(better.values())} of {len(better)} pairs of table and k; it"
        f" does not for {'; '.join(worse)}.",
        all(good for (_, k), good in better.items() if k < max(REAL_KS)),
    )


def _runs() -> list[tuple[str, int]]:
    return [(name, k) for name, source in sources().items() for k in source.ks]


def _curve(name: str, k: int) -> list[Point]:
    return [sweep(name)[k, weight] for weight in LAMBDAS]


def _slope(curve: list[Point]) -> float:
    return (curve[0].y - curve[1].y) / (curve[1].x - curve[0].x)
