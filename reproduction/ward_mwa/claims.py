"""What the paper concludes from its tables, and its running time."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from reproduction import timing
from reproduction.page import Claim, Claims, Key, TextTable
from reproduction.runs import Matrix, groups, reference_table
from reproduction.stored_results import stored
from reproduction.ward_mwa.published import METHODS, TABLE_1
from shoal.metrics import linkage, neighbour_intervals, std_ratio

KS = (3, 4, 5)
Cells = Mapping[Key, float]


def printed_losses() -> dict[Key, float]:
    """Return the losses that the paper prints."""
    return {key: float(text) for key, text in TABLE_1.items() if text != "-"}


def claims(ours: Cells, release: Callable[[str], Matrix]) -> Claims:
    """Check the paper's conclusions on our figures and on its own.

    ``ours`` are our losses by the rows of Table 1, ``release`` gives a masked table with k = 3.
    """
    printed = printed_losses()
    return Claims(
        "Claims",
        "",
        (
            *_single_axis(ours, printed),
            _narrower(ours, printed),
            _robust(ours, printed),
            *_individual(ours, printed),
            _less_variable(release),
            *_risk(release),
        ),
    )


def _ends(cells: Cells, rows: str, k: int) -> tuple[float, float]:
    """Return the least and the greatest loss of the rows that begin so."""
    values = [
        v for (row, column), v in cells.items() if row.startswith(rows) and column == f"k={k}"
    ]
    return min(values), max(values)


def _single_axis(ours: Cells, printed: Cells) -> tuple[Claim, Claim]:
    ratios = {
        source: [
            _ends(cells, f"MWA_{by}", k)[end] / _ends(cells, f"FS_{by}", k)[end]
            for by in ("FPC", "SZ", "PV")
            for k in KS
            for end in (0, 1)
        ]
        for source, cells in (("ours", ours), ("printed", printed))
    }
    md = [_ends(ours, "MWA_MD", k) for k in KS]
    fixed = [min(_ends(ours, f"FS_{by}", k)[0] for by in ("FPC", "SZ", "PV")) for k in KS]
    axes = [[_ends(ours, f"MWA_{by}", k) for by in ("FPC", "SZ", "PV")] for k in KS]
    within = sum(
        min(low for low, _ in ends) * 0.95 <= most[0] and most[1] <= max(high for _, high in ends)
        for most, ends in zip(md, axes, strict=True)
    )
    return (
        Claim(
            "With sorting along one axis (FPC, SZ, PV), MWA improves significantly on FS.",
            f"MWA loses {min(ratios['ours']):.2f} to {max(ratios['ours']):.2f} of what FS loses.",
            max(ratios["ours"]) < 0.9,
            holds_in_print=max(ratios["printed"]) < 0.9,
        ),
        Claim(
            "With maximum distance, MWA behaves as with one axis, and so better than FS with one.",
            f"Its losses lie in the range of the others for {within} of {len(KS)} k; the best FS"
            f" loses {min(f / m[1] for f, m in zip(fixed, md, strict=True)):.2f} times as much or"
            " more.",
            within == len(KS) and all(f > m[1] for f, m in zip(fixed, md, strict=True)),
        ),
    )


def _narrower(ours: Cells, printed: Cells) -> Claim:
    def widths(cells: Cells) -> list[tuple[float, float]]:
        ends = [(_ends(cells, "FS_PV", k), _ends(cells, "MWA_PV", k)) for k in KS]
        return [(b - a, d - c) for (a, b), (c, d) in ends]

    text = ", ".join(
        f"{mwa:.1f} and {fs:.1f} (k = {k})" for k, (fs, mwa) in zip(KS, widths(ours), strict=True)
    )
    return Claim(
        "The losses by a particular variable range less widely for MWA than for FS.",
        f"Widths in points: {text}.",
        all(fs > mwa for fs, mwa in widths(ours)),
        holds_in_print=all(fs > mwa for fs, mwa in widths(printed)),
    )


def _robust(ours: Cells, printed: Cells) -> Claim:
    def widths(cells: Cells) -> list[float]:
        return [high - low for low, high in (_ends(cells, "MWA_MD", k) for k in KS)]

    text = ", ".join(f"{width:.2f} (k = {k})" for k, width in zip(KS, widths(ours), strict=True))
    return Claim(
        "Maximum distance is robust: it matters little which extreme record comes first.",
        f"The two losses differ by so many points: {text}.",
        max(widths(ours)) < 1,
        holds_in_print=max(widths(printed)) < 1,
    )


def _individual(ours: Cells, printed: Cells) -> tuple[Claim, Claim]:
    def ratios(cells: Cells) -> list[float]:
        return [cells["MWA_I", f"k={k}"] / cells["FS_I", f"k={k}"] for k in KS]

    text = ", ".join(f"{ratio:.2f} (k = {k})" for k, ratio in zip(KS, ratios(ours), strict=True))
    best = [min(_ends(ours, f"MWA_{by}", k)[0] for by in ("FPC", "SZ", "PV")) for k in KS]
    worst = [max(ours["MWA_I", f"k={k}"], ours["FS_I", f"k={k}"]) for k in KS]
    return (
        Claim(
            "With individual sorting, FS and MWA behave similarly.",
            f"MWA loses so many times what FS loses: {text}.",
            all(0.8 < ratio < 1.25 for ratio in ratios(ours)),
            "Similarly at k = 3 alone: in print, too, FS loses 8.54 and MWA 4.46 at k = 5.",
            holds_in_print=all(0.8 < ratio < 1.25 for ratio in ratios(printed)),
        ),
        Claim(
            "With individual sorting, both lose significantly less than along one axis.",
            f"The worse of the two loses {max(w / b for w, b in zip(worst, best, strict=True)):.2f}"
            " of the least loss along one axis, or less.",
            all(w < b / 2 for w, b in zip(worst, best, strict=True)),
        ),
    )


def _less_variable(release: Callable[[str], Matrix]) -> Claim:
    Z = reference_table("tarragona")
    ratios = np.array([std_ratio(Z, release(method)) for method in METHODS])
    return Claim(
        "Standard deviations never grow.",
        f"Of {ratios.size} ratios the greatest is {ratios.max():.3f}.",
        bool((ratios <= 1 + 1e-12).all()),
    )


def _risk(release: Callable[[str], Matrix]) -> tuple[Claim, Claim]:
    Z = reference_table("tarragona")
    linked = {
        method: linkage(Z, release(method)) for method in ("FS_FPC", "MWA_FPC", "FS_I", "MWA_I")
    }
    text = ", ".join(f"{share:.0%} ({method})" for method, share in linked.items())
    intervals = neighbour_intervals(Z, release("FS_I"))
    return (
        Claim(
            "Individual sorting has a higher disclosure risk than sorting along one axis.",
            f"With k = 3, so many masked records are linked to their original: {text}.",
            min(linked["FS_I"], linked["MWA_I"]) > 2 * max(linked["FS_FPC"], linked["MWA_FPC"]),
        ),
        Claim(
            "With individual sorting, a value lies between the means of the neighbouring groups.",
            f"So for {np.mean(intervals.holds):.1%} of all values (FS_I, k = 3); half of these"
            f" intervals are narrower than {np.median(intervals.width):.3f} standard deviations.",
            bool(np.all(intervals.holds)),
        ),
    )


@stored("ward-mwa-times")
def times_here() -> dict[str, float]:
    """Return the seconds that each kind of method takes with k = 3."""
    Z = reference_table("tarragona")
    return {
        "MWA, any start": timing.seconds(partial(groups, Z, "mward", 3)),
        "FS": timing.seconds(partial(groups, Z, "sorted", 3)),
    }


def times() -> TextTable:
    """Running times."""
    paper_machine = "All 834 records, on a Sun Ultra2 of 166 MHz."
    published = {"MWA, any start": "about 70 s", "FS": "negligible"}
    return timing.times_table("Running times", paper_machine, published, times_here())
