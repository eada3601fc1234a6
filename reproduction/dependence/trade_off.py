"""Figures 8 to 12: both distortions over k and lambda."""

from itertools import pairwise

from reproduction.dependence.sweeps import (
    LAMBDAS,
    REAL_KS,
    SYNTHETIC_KS,
    Point,
    round_as_shown,
    sources,
    sweep,
)
from reproduction.figure import Figure, Panel, Series
from reproduction.page import Claim, Claims, NumberTable

MAX_DRAWN_INCREMENT = 3.0  # relative increment that is still drawn


def figure_8() -> Figure:
    """Draw both distortions against k, for the two ends of lambda."""
    panels = []
    for name, source in sources().items():
        points = sweep(name)
        series = tuple(
            Series(
                f"${distortion.upper()}$, λ = {weight:g}",
                source.ks,
                round_as_shown(getattr(points[k, weight], distortion) for k in source.ks),
                style,
            )
            for weight in (0.0, 1.0)
            for distortion, style in (("d_x", "o-"), ("d_y", "s--"))
        )
        panels.append(Panel(source.title, "k", "distortion", series))
    caption = (
        "Distortion of the quasi-identifiers and of the confidential columns against k, for the two"
        " ends of λ. The paper's caption names only the Gaussian tables; we draw all four. The"
        " digits are below Figures 9 to 12."
    )
    return Figure("dependence-figure-8", "Figure 8", caption, tuple(panels))


def trade_off(number: int, name: str) -> Figure:
    """Draw D_Y against D_X, and the relative increments, one curve for each k."""
    source = sources()[name]
    curves, relative_curves = [], []
    for k in source.ks:
        curve = _curve(name, k)
        x, y = [point.d_x for point in curve], [point.d_y for point in curve]
        increments_x, increments_y = (
            [value / x[0] - 1 for value in x],
            [value / y[0] - 1 for value in y],
        )
        curves.append(Series(f"k = {k}", round_as_shown(x), round_as_shown(y), "o-"))
        relative_curves.append(
            Series(f"k = {k}", round_as_shown(increments_x), round_as_shown(increments_y), "o-")
        )
    title = "(b) relative to λ = 0"
    x_label, y_label = "relative increment of $D_X$", "relative increment of $D_Y$"
    panels = (
        Panel(f"(a) {source.title}", "$D_X$", "$D_Y$", tuple(curves)),
        Panel(
            title,
            x_label,
            y_label,
            tuple(relative_curves),
            diagonal=True,
            x_max=MAX_DRAWN_INCREMENT,
        ),
    )
    caption = (
        f"{source.title}: MDAV with λ from 0 (upper left end of each curve) to 1, in steps of 0.1."
        " On the dotted line, distortion grows by the share by which dependence improves."
        f" Increments of D_X beyond {MAX_DRAWN_INCREMENT:g} lie outside (b)."
    )
    return Figure(f"dependence-figure-{number}", f"Figure {number}", caption, panels)


def trade_off_numbers(number: int, name: str) -> NumberTable:
    """Return the figures of a trade-off in digits."""
    rows = {
        f"{distortion.upper()}, k = {k}": [getattr(point, distortion) for point in _curve(name, k)]
        for k in sources()[name].ks
        for distortion in ("d_x", "d_y")
    }
    columns = tuple(f"λ = {weight:g}" for weight in LAMBDAS)
    return NumberTable(f"Figure {number} in digits", columns, rows)


def claims_on_8() -> Claims:
    """Check what the paper reads off Figure 8."""
    ends = [(_curve(name, k)[0], _curve(name, k)[-1]) for name, k in _tables_and_ks()]
    n_ordered = sum(first.d_x <= first.d_y and last.d_y <= last.d_x for first, last in ends)
    grows = [
        later > earlier
        for name, source in sources().items()
        for distortion, weight in (("d_x", 0.0), ("d_y", 1.0))
        for earlier, later in pairwise(
            getattr(sweep(name)[k, weight], distortion) for k in source.ks
        )
    ]
    gaps = {
        k: [low.d_y - low.d_x for low in (sweep(f"gaussian {rho}")[k, 0.0] for rho in (0.5, 0.9))]
        for k in SYNTHETIC_KS
    }
    text = "; ".join(f"k = {k}: {weak:.2f}, {strong:.2f}" for k, (weak, strong) in gaps.items())
    claims = (
        Claim(
            "D_X is at most D_Y at λ = 0, and D_Y at most D_X at λ = 1.",
            f"True for {n_ordered} of {len(ends)} pairs of table and k.",
            n_ordered == len(ends),
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
    """Check what the paper reads off Figures 9 to 12."""
    claims = (
        _claim_d_y_falls(),
        _claim_both_grow_with_k(),
        _claim_steep_start(),
        _claim_gain_exceeds_price(),
    )
    return Claims("Claims on Figures 9 to 12", "", claims)


def _claim_d_y_falls() -> Claim:
    falls = [
        later.d_y <= earlier.d_y
        for name, k in _tables_and_ks()
        for earlier, later in pairwise(_curve(name, k))
    ]
    return Claim(
        "For a given k, D_Y falls as λ grows, though not always: MDAV is a heuristic.",
        f"It falls in {sum(falls)} of {len(falls)} steps of λ.",
        0.8 < sum(falls) / len(falls) < 1,
    )


def _claim_both_grow_with_k() -> Claim:
    grows = [
        getattr(with_greater_k, distortion) > getattr(point, distortion)
        for name, source in sources().items()
        for k, greater_k in pairwise(source.ks)
        for point, with_greater_k in zip(_curve(name, k), _curve(name, greater_k), strict=True)
        for distortion in ("d_x", "d_y")
    ]
    return Claim(
        "For greater k both distortions increase, whatever λ.",
        f"They do in {sum(grows)} of {len(grows)} steps from one k to the next.",
        sum(grows) / len(grows) > 0.95,
    )


def _claim_steep_start() -> Claim:
    slopes = {name: _slope(_curve(name, min(source.ks))) for name, source in sources().items()}
    text = ", ".join(f"{slope:.0f} ({sources()[name].title})" for name, slope in slopes.items())
    return Claim(
        "At the least k, the curves of all four tables start steeply at λ = 0.",
        f"From λ = 0 to 0.1, the fall of D_Y as a multiple of the rise of D_X: {text}.",
        all(slope > 2 for slope in slopes.values()),
    )


def _claim_gain_exceeds_price() -> Claim:
    starts = {
        (name, k): _curve(name, k)[:2] for name, k in _tables_and_ks() if "gaussian" not in name
    }
    is_worth_it = {
        case: 1 - second.d_y / first.d_y > second.d_x / first.d_x - 1
        for case, (first, second) in starts.items()
    }
    exceptions = [
        f"{sources()[name].title}, k = {k}"
        for (name, k), is_better in is_worth_it.items()
        if not is_better
    ]
    return Claim(
        "In both real tables the relative gain exceeds the relative price, above all for low λ and"
        " low k.",
        f"At λ = 0.1 it does for {sum(is_worth_it.values())} of {len(is_worth_it)} pairs of table"
        f" and k; it does not for {'; '.join(exceptions)}.",
        all(is_better for (_, k), is_better in is_worth_it.items() if k < max(REAL_KS)),
    )


def _tables_and_ks() -> list[tuple[str, int]]:
    """Return each pair of a table's name and a k with which it is masked."""
    return [(name, k) for name, source in sources().items() for k in source.ks]


def _curve(name: str, k: int) -> list[Point]:
    """Return the results for every lambda."""
    return [sweep(name)[k, weight] for weight in LAMBDAS]


def _slope(curve: list[Point]) -> float:
    """Return the fall of D_Y divided by the rise of D_X, in the first step of lambda."""
    return (curve[0].d_y - curve[1].d_y) / (curve[1].d_x - curve[0].d_x)
