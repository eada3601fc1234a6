"""All methods on the three reference tables: loss and time."""

import re
from functools import partial
from typing import Any

from reproduction import timing
from reproduction.markdown import wrap
from reproduction.runs import TITLES, group_labels, loss, reference_table
from reproduction.stored_results import stored

KS = (3, 5, 10)
TIMED_K = 5
# The method and the options of each row; all other rows are methods without options.
OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "mst, split=centroid (M-c)": ("mst", {"split": "centroid"}),
    "mst, split=none (M)": ("mst", {"split": "none"}),
    "md, grow=extreme": ("md", {"grow": "extreme"}),
    "mhm, path=nearest-point (NPN-MHM)": ("mhm", {"path": "nearest-point"}),
    "mhm (MDAV-MHM)": ("mhm", {}),
    "mhm, path=centroid-mdav (CBFS-MHM)": ("mhm", {"path": "centroid-mdav"}),
    "mu-approx": ("mu-approx", {"random_state": 0}),
    "mu-approx, restarts=20": ("mu-approx", {"random_state": 0, "restarts": 20}),
    "vmdav, gamma=auto": ("vmdav", {"gamma": "auto"}),
    "univariate, order=first-component": ("univariate", {"order": "first-component"}),
}
WITHOUT_OPTIONS = (
    *("sorted", "mdav", "mdav1", "mdav-classic", "mdav2", "centroid-mdav", "md", "vmdav", "cvmdav"),
    *("dba1", "dba2", "tfrp", "mst", "mward", "lloyd", "threshold", "auto"),
)
ROWS = {**{name: (name, {}) for name in WITHOUT_OPTIONS}, **OPTIONS}


def losses_of_row(row: str, name: str) -> list[float]:
    """Return the losses of a row on one table, for each k."""
    method, options = ROWS[row]
    Z = reference_table(name)
    return [loss(Z, group_labels(Z, method, k, **options)) for k in KS]


@stored("comparison")
def losses_and_times() -> dict[str, Any]:
    """Return losses, and seconds with k = 5, of every row on every table."""
    return {
        row: {
            name: [
                *losses_of_row(row, name),
                timing.cpu_seconds(
                    partial(group_labels, reference_table(name), method, TIMED_K, **options)
                ),
            ]
            for name in TITLES
        }
        for row, (method, options) in ROWS.items()
    }


def methods_text() -> str:
    """Return the page as Markdown."""
    header = [f"{title}, k={k}" for title in TITLES.values() for k in KS]
    header += [f"{title}, time" for title in TITLES.values()]
    rows = []
    by_loss = sorted(losses_and_times().items(), key=lambda entry: entry[1]["tarragona"][1])
    for row, figures in by_loss:
        cells = [f"{loss:.3f}" for name in TITLES for loss in figures[name][:-1]]
        cells += [timing.format_seconds(figures[name][-1]) for name in TITLES]
        method_as_code = re.sub("^[^ ,]+", r"`\g<0>`", row)
        rows.append(f"| {method_as_code} | {' | '.join(cells)} |")
    grid = [
        f"|  | {' | '.join(header)} |",
        f"| --- | {' | '.join(['---:'] * len(header))} |",
        *rows,
    ]
    about = (
        "Information loss in per cent, 100 SSE / SST on z-scores, sorted by the loss on Tarragona"
        f" with k = 5, and the CPU time with k = {TIMED_K}: the lowest of {timing.N_RUNS} runs on"
        f" one core of {timing.describe_machine()}, after the kernels were compiled. Methods for"
        " only one k or only for short tables are left out. `threshold` is designed for the"
        " greatest distance within a group, not for the loss, and may form large groups."
    )
    blocks = ["# All methods on the reference tables", wrap(about), "\n".join(grid)]
    return "\n\n".join(blocks) + "\n"
