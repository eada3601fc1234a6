"""The page of the records, docs/records.md."""

from collections.abc import Iterable
from pathlib import Path

from reproduction.records.record import CELLS, Record, read, recorded_cells

PAGE = Path(__file__).parents[2] / "docs" / "records.md"
CLOSED = 1e-8  # relative gap of a partition that is proven to be optimal, to eight digits

HEAD = """\
# Records: best known partitions and bounds

A *cell* is one of three tables of the literature with one of five values of k. For each cell,
`reproduction/records/cells` has the partition of lowest known loss, and the proof of a lower bound
on the loss of all partitions into groups of at least k records. Everyone can check them, and is
invited to beat them.

Losses and bounds are in % of the variance of the z-scores, gaps in % of the bound. How `refine`,
`search` and `prove` compare within two minutes is shown in [Information loss](quality.md).

| table | k | loss | bound verified | gap | bound claimed | gap | triples | clusters |
|---|---|---|---|---|---|---|---|---|
"""

MISSING = """
No record yet: {}.
[`--improve`](#beat-them) creates the first record of a cell.
"""

FOOT = """
*Bound verified* follows from the dual values in the file, which `make records` checks with plain
NumPy and no algorithm of Shoal. It checks that no group of k to 2k - 1 records has an SSE below the
sum of the following:

- the duals of its records,
- minus the dual of each triple of which it contains two or three records,
- minus h // m times the dual of each cluster with divisor m, where h is the number of records of
  the cluster that the group contains.

In a partition, at most one group can contain two records of a triple, and the sum of h // m over
all groups is at most c // m for a cluster of c records. So no partition has an SSE below the sum of
the duals of all records, minus the duals of all triples, minus c // m times the dual of each
cluster. The columns *triples* and *clusters* show how many of them the proof uses.

*Bound claimed* is the bound that `prove` states. It may be higher if an integer programme, solved
by HiGHS, chooses among groups of low reduced cost. This part has not been checked independently,
and an optimum is a claim of this kind. If both bounds agree, the bound does not depend on an
integer programme.

## Check them

```text
make records
```

This recomputes all losses and searches exhaustively, by branch and bound, for a group that violates
the duals. This takes seconds for small k. `python -m reproduction.records --only eia-3` checks one
cell; `--quick` checks only the partitions and the sums of the duals. The file
`reproduction/records/verifier.py` is the whole verifier, and `reproduction/records/record.py`
describes the format of the files.

## Beat them

```text
python -m reproduction.records --improve eia-3 --seconds 1800 --seed 1
```

This continues from the partition and the duals on record, for the given number of CPU seconds. If
it finds a better partition or bound, it writes the file and this page. A file made by any other
method is welcome as well: a partition of lower loss, or duals that pass the check and prove a
higher bound.
"""


def row(record: Record) -> str:
    """Return the row of a record."""
    cells = [record.table, str(record.k), f"{record.loss:.7g}"]
    for bound in (record.bound, record.claimed):
        gap = record.loss / bound - 1 if bound else float("inf")
        cells += [f"{bound:.7g}", "0 (optimal)" if gap < CLOSED else f"{100 * gap:.3g}"]
    cells += [str(len(record.triples)), str(len(record.clusters))]
    return "| " + " | ".join(cells) + " |\n"


def page(records: Iterable[Record]) -> str:
    """Return the page."""
    present = {record.name: record for record in records}
    missing = [name for name in CELLS if name not in present]
    rows = "".join(row(present[name]) for name in CELLS if name in present)
    return HEAD + rows + (MISSING.format(", ".join(missing)) if missing else "") + FOOT


def write_page() -> None:
    """Write the page from the files."""
    PAGE.write_text(page(map(read, recorded_cells())))
