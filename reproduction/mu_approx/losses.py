"""Table 5: loss of distances and of squares on the three reference tables."""

from functools import cache

from reproduction.page import Key, Table, as_printed
from reproduction.runs import groups, loss, masked, reference
from shoal.metrics import euclidean_loss

KS, SEEDS = (3, 4, 5, 10), range(20)

TABLE_5 = as_printed(
    "k=3 k=4 k=5 k=10",
    """
    Tarragona, L_E, MDAV  34.32  38.66  41.20  49.64
    Tarragona, L_E, μ-Approx  34.42  38.82  42.23  54.09
    Tarragona, L_SSE, MDAV  16.93  19.55  22.46  33.19
    Tarragona, L_SSE, M-d  16.63  19.66  24.50  38.58
    Tarragona, L_SSE, μ-Approx  -  -  -  -
    Census, L_E, MDAV  22.97  26.53  29.22  36.62
    Census, L_E, μ-Approx  25.35  27.09  29.96  38.11
    Census, L_SSE, MDAV  5.69  7.51  9.09  14.22
    Census, L_SSE, M-d  6.11  8.24  10.30  17.17
    Census, L_SSE, μ-Approx  6.25  8.47  10.78  17.01
    EIA, L_E, MDAV  4.56  5.60  8.13  12.87
    EIA, L_E, μ-Approx  4.30  5.18  6.16  10.06
    EIA, L_SSE, MDAV  0.48  0.67  1.67  3.84
    EIA, L_SSE, μ-Approx  0.43  0.59  0.83  2.26
    """,
)

METHODS = {"MDAV": "mdav", "M-d": "mst", "μ-Approx": "mu-approx"}
MDAV = (
    "With k = 4 and 10 the paper's MDAV differs from MDAV-generic on Census alone; both of its"
    " measures do, so its groups are others. With k = 3 and 5, and on the other tables, they agree."
)
NOTES: dict[Key, str] = {
    ("Census, L_E, MDAV", ""): MDAV,
    ("Census, L_SSE, MDAV", ""): MDAV,
    ("Census, L_SSE, M-d", ""): "Near: the paper took its figures from the paper on M-d, and how a"
    " tree of 2k records or more is split is open there.",
}


@cache
def both(name: str, method: str, k: int) -> list[tuple[float, float]]:
    """Return L_E and L_SSE of every run: one, or one for each seed."""
    Z, found = reference(name), []
    seeds = [{"random_state": seed} for seed in SEEDS] if method == "mu-approx" else [{}]
    for options in seeds:
        labels = groups(Z, method, k, **options)
        found.append((float(euclidean_loss(Z, masked(Z, labels))), loss(Z, labels)))
    return found


def table_5() -> Table:
    """Both measures of loss for every method and table."""
    ours, notes = {}, dict(NOTES)
    for row, column in TABLE_5:
        name, measure, method = row.split(", ")
        at = ("L_E", "L_SSE").index(measure)
        found = [run[at] for run in both(name.lower(), METHODS[method], int(column[2:]))]
        ours[row, column] = sum(found) / len(found)
        if len(found) > 1:
            notes[row, column] = _drawn(TABLE_5[row, column], found)
    return Table.of(
        "Table 5: information loss",
        "L_E = 100 SDE / SDT counts distances, L_SSE = 100 SSE / SST their squares. The row of"
        " μ-Approx for L_SSE on Tarragona is missing in the copy of the paper we have.",
        TABLE_5,
        ours,
        notes,
    )


def _drawn(printed: str, found: list[float]) -> str:
    least, greatest = min(found), max(found)
    span = f"{least:.2f} to {greatest:.2f}"
    if printed == "-" or least <= float(printed) <= greatest:
        return f"A draw: our {len(found)} seeds give {span}."
    if printed == "25.35":
        return f"A misprint for 23.35, most likely: our {len(found)} seeds give {span}."
    return f"Outside what our {len(found)} seeds give, {span}: the text leaves choices open."
