"""Figure 14: Census in blocks of columns."""

from reproduction.dependence.sweeps import (
    BLOCK_SIZES,
    LAMBDAS,
    N_QUASI_IDENTIFIERS,
    K,
    block_sweep,
    round_as_shown,
    sources,
)
from reproduction.figure import Figure, Panel, Series
from reproduction.page import Claim, Claims, NumberTable, Table, as_printed

CELLS = as_printed("cells", "b = 2  1259712")


def figure_14() -> Figure:
    """Draw distortion and linkage against lambda, one curve for each size of blocks."""
    panels = tuple(
        Panel(title, "λ", label, tuple(_series(size, result) for size in BLOCK_SIZES))
        for title, label, result in (
            ("Distortion", "$D_X$", "d_x"),
            ("Distance-based linkage disclosure", "DLD", "linkage"),
        )
    )
    caption = (
        f"Census, k = {K}: the six quasi-identifiers in blocks of b columns, each masked together"
        " with all confidential columns. The paper prints b = 2, 4, 6, and its text speaks of 3: we"
        " draw all. With b = 4 the last block has two columns."
    )
    return Figure("dependence-figure-14", "Figure 14", caption, panels)


def digits_of_figure_14() -> NumberTable:
    """Return Figure 14 in digits."""
    rows = {
        f"{label}, b = {size}": _curve(size, result)
        for size in BLOCK_SIZES
        for label, result in (("D_X", "d_x"), ("DLD", "linkage"))
    }
    columns = tuple(f"λ = {weight:g}" for weight in LAMBDAS)
    return NumberTable("Figure 14 in digits", columns, rows)


def potential_cells() -> Table:
    """Return the number of combinations of group means that could occur."""
    n_cells = 1
    for n_groups in block_sweep()[2, 0.0].n_groups:
        n_cells *= n_groups
    about = f"Groups of all blocks, multiplied: what the columns together can tell apart, k = {K}."
    return Table.of("Potential cells behind Figure 14", about, CELLS, {("b = 2", "cells"): n_cells})


def claims() -> Claims:
    """Check what the paper reads off Figure 14."""
    d_x = {size: block_sweep()[size, 0.0].d_x for size in BLOCK_SIZES}
    linkages = {size: _curve(size, "linkage") for size in BLOCK_SIZES}
    without_blocks, n_records = linkages[N_QUASI_IDENTIFIERS], len(sources()["census"].X)
    bounds = [
        block_sweep()[N_QUASI_IDENTIFIERS, weight].n_groups[0] / n_records for weight in LAMBDAS
    ]
    n_within_bound = sum(
        share <= bound <= 1 / K for share, bound in zip(without_blocks, bounds, strict=True)
    )
    rounded_ends = {round_as_shown([block_sweep()[size, 1.0].d_x])[0] for size in BLOCK_SIZES}
    return Claims(
        "Claims on Figure 14",
        "",
        (
            Claim(
                "At λ = 0 blocks of three halve D_X, and blocks of two halve it once more.",
                f"D_X is {d_x[6]:.4f}, {d_x[3]:.4f} and {d_x[2]:.4f}: divided by"
                f" {d_x[6] / d_x[3]:.2f}, then by {d_x[3] / d_x[2]:.2f}.",
                d_x[6] > 2 * d_x[3] > 4 * d_x[2],
            ),
            Claim(
                "Blocks of two bring linkage near full disclosure.",
                f"DLD is {linkages[2][0]:.3f} at λ = 0.",
                linkages[2][0] > 0.9,
            ),
            Claim(
                "Without blocks, DLD is about 1/k at λ = 0 and falls as λ grows.",
                f"From {without_blocks[0]:.3f} to {without_blocks[-1]:.3f}, with 1/k = {1 / K:g}.",
                abs(without_blocks[0] - 1 / K) < 0.02 and without_blocks[-1] < without_blocks[0],
            ),
            Claim(
                "Without blocks, DLD is at most groups / n, which is at most 1/k.",
                f"True at {n_within_bound} of {len(without_blocks)} values of λ.",
                n_within_bound == len(without_blocks),
            ),
            Claim(
                "At λ = 1 the groups, and so D_X, are the same for every size of blocks.",
                f"D_X at λ = 1: {', '.join(f'{value:.4f}' for value in sorted(rounded_ends))}.",
                len(rounded_ends) == 1,
            ),
        ),
    )


def _series(size: int, result: str) -> Series:
    return Series(f"b = {size}", LAMBDAS, round_as_shown(_curve(size, result)), "o-")


def _curve(size: int, result: str) -> list[float]:
    return [getattr(block_sweep()[size, weight], result) for weight in LAMBDAS]
