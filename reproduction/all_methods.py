"""All methods on the three reference tables: loss and time."""

from functools import partial
from typing import Any

from reproduction import timing
from reproduction.markdown import wrap
from reproduction.runs import groups, loss, reference_table
from reproduction.stored_results import stored

TABLES, KS = ("tarragona", "census", "eia"), (3, 5, 10)
TIMED_K = 5
# Method and options of each row; all other rows are methods without options.
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
PLAIN = (
    *("sorted", "mdav", "mdav1", "mdav-classic", "mdav2", "centroid-mdav", "md", "vmdav", "cvmdav"),
    *("dba1", "dba2", "tfrp", "mst", "mward", "lloyd", "threshold", "auto"),
)
ROWS = {**{name: (name, {}) for name in PLAIN}, **OPTIONS}


def losses(row: str, name: str) -> list[float]:
    """Return the losses of a row on one table, for each k."""
    method, options = ROWS[row]
    Z = reference_table(name)
    return [loss(Z, groups(Z, method, k, **options)) for k in KS]


@stored("comparison")
def losses_and_times() -> dict[str, Any]:
    """Return losses, and seconds with k = 5, of every row on every table."""
    return {
        row: {
            name: [
                *losses(row, name),
                timing.seconds(partial(groups, reference_table(name), method, TIMED_K, **options)),
            ]
            for name in TABLES
        }
        for row, (method, options) in ROWS.items()
    }


def methods_text() -> str:
    """Return the page as Markdown."""
    titles = {"tarragona": "Tarragona", "census": "Census", "eia": "EIA"}
    header = [f"{titles[name]}, k={k}" for name in TABLES for k in KS]
    header += [f"{titles[name]}, time" for name in TABLES]
    rows = []
    for row, losses in sorted(
        losses_and_times().items(), key=lambda entry: entry[1]["tarragona"][1]
    ):
        name, comma, option = row.partition(",")
        cells = [f"{value:.3f}" for name in TABLES for value in losses[name][:-1]]
        cells += [timing.format_seconds(losses[name][-1]) for name in TABLES]
        rows.append(f"| `{name.split()[0]}`{name[len(name.split()[0]):]}{comma}{option} |"
                    f" {' | '.join(cells)} |")  # fmt: skip
    grid = [
        f"|  | {' | '.join(header)} |",
        f"| --- | {' | '.join(['---:'] * len(header))} |",
        *rows,
    ]
    about = (
        "Information loss in per cent, 100 SSE / SST on z-scores, sorted by the loss on Tarragona"
        f" with k = 5, and the processor time with k = {TIMED_K}: the least of {timing.RUNS} runs"
        f" on one core of {timing.describe_machine()},"
        " kernels compiled before. Methods for one k or for short tables alone are left out."
        " `threshold` is made for the greatest distance within a group, not for the loss, and may"
        " form large groups."
    )
    blocks = ["# All methods on the reference tables", wrap(about), "\n".join(grid)]
    return "\n\n".join(blocks) + "\n"
