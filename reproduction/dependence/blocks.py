"""Figure 14: Census in blocks of columns."""

from reproduction.dependence.sweeps import (
    BLOCK_SIZES,
    LAMBDAS,
    N_QUASI_IDENTIFIERS,
    K,
    blocked,
    rounded,
    sources,
)
from reproduction.figure import Figure, Panel, Series
from reproduction.page import Claim, Claims, NumberTable, Table, as_printed

CELLS = as_printed("cells", "b = 2  1259712")


def figure_14() -> Figure:
    """Distortion and linkage against lambda, one curve for each size of blocks."""
    panels = tuple(
        Panel(title, "λ", label, tuple(_series(size, kind) for size in BLOCK_SIZES))
        for title, label, kind in (
            ("Distortion", "$D_X$", "x"),
            ("Distance-based linkage disclosure", "DLD", "linked"),
        )
    )
    caption = (
        f"Census, k = {K}: the six quasi-identifiers in blocks of b columns, each masked together"
        " with all confidential columns. The paper prints b = 2, 4, 6, and its text speaks of 3: we"
        " draw all. With b = 4 the last block has two columns."
    )
    return Figure("dependence-figure-14", "Figure 14", caption, panels)


def numbers() -> NumberTable:
    """The same in digits."""
    rows = {
        f"{label}, b = {size}": _curve(size, kind)
        for size in BLOCK_SIZES
        for label, kind in (("D_X", "x"), ("DLD", "linked"))
    }
    columns = tuple(f"λ = {weight:g}" for weight in LAMBDAS)
    return NumberTable("Figure 14 in digits", columns, rows)


def cells() -> Table:
    """How many combinations of group means there might be."""
    count = 1
    for number in blocked()[2, 0.0].groups:
        count *= number
    about = f"Groups of all blocks, multiplied: what the columns together can tell apart, k = {K}."
    return Table.of("Potential cells behind Figure 14", about, CELLS, {("b = 2", "cells"): count})


def claims() -> Claims:
    """What the paper reads off Figure 14."""
    x = {size: blocked()[size, 0.0].x for size in BLOCK_SIZES}
    linked = {size: _curve(size, "linked") for size in BLOCK_SIZES}
    without_blocks, n = linked[N_QUASI_IDENTIFIERS], len(sources()["census"].X)
    bounds = [blocked()[N_QUASI_IDENTIFIERS, weight].groups[0] / n for weight in LAMBDAS]
    n_within_bound = sum(
        share <= bound <= 1 / K for share, bound in zip(without_blocks, bounds, strict=True)
    )
    ends = {rounded([blocked()[size, 1.0].x])[0] for size in BLOCK_SIZES}
    return Claims(
        "Claims on Figure 14",
        "",
        (
            Claim(
                "At λ = 0 blocks of three halve D_X, and blocks of two halve it once more.",
                f"D_X is {x[6]:.4f}, {x[3]:.4f} and {x[2]:.4f}: divided by {x[6] / x[3]:.2f}, then"
                f" by {x[3] / x[2]:.2f}.",
                x[6] > 2 * x[3] > 4 * x[2],
            ),
            Claim(
                "Blocks of two bring linkage near full disclosure.",
                f"DLD is {linked[2][0]:.3f} at λ = 0.",
                linked[2][0] > 0.9,
            ),
            Claim(
                "Without blocks, DLD is about 1/k at λ = 0 and falls as λ grows.",
                f"From {without_blocks[0]:.3f} to {without_blocks[-1]:.3f}, with 1/k = {1 / K:g}.",
                abs(without_blocks[0] - 1 / K) < 0.02 and without_blocks[-1] < without_blocks[0],
            ),
            Claim(
                "Without blocks, DLD is at most groups / n, which is at most 1/k.",
                f"So at {n_within_bound} of {len(without_blocks)} values of λ.",
                n_within_bound == len(without_blocks),
            ),
            Claim(
                "At λ = 1 the groups, and so D_X, are the same for every size of blocks.",
                f"D_X at λ = 1: {', '.join(f'{value:.4f}' for value in sorted(ends))}.",
                len(ends) == 1,
            ),
        ),
    )


def _series(size: int, kind: str) -> Series:
    return Series(f"b = {size}", LAMBDAS, rounded(_curve(size, kind)), "o-")


def _curve(size: int, kind: str) -> list[float]:
    return [getattr(blocked()[size, weight], kind) for weight in LAMBDAS]
