"""The page of the records, docs/records.md."""

from collections.abc import Iterable
from pathlib import Path

from reproduction.records.record import NAMES, Record, published, read

PAGE = Path(__file__).parents[2] / "docs" / "records.md"
CLOSED = 1e-8  # relative gap of a partition that is proven to be optimal, to eight digits

HEAD = """\
# Records: best known partitions and bounds

For three tables of the literature and five k, `reproduction/records/cells` has the partition of
lowest known loss and the proof of a lower bound of the loss of all partitions into groups of at
least k. Everyone can check them, and is invited to beat them. Losses and bounds are in % of the
variance of z-scores, gaps in % of the bound. Information on how `refine`, `search` and `prove`
compare within two minutes is in [Information loss](quality.md).

| table | k | loss | bound verified | gap | bound claimed | gap | triples | clusters |
|---|---|---|---|---|---|---|---|---|
"""

MISSING = """
No record yet: {}.
`--improve` makes the first one.
"""

FOOT = """
*Bound verified*: it follows from the dual values in the file, which `make records` checks with
plain NumPy, nothing of Shoal: no group of k to 2k - 1 records has an SSE below the duals of its
records, less the duals of the triples of which it has two records, and less those of the clusters,
h // m times if it has h records of a cluster with divisor m. At most one group can have two records
of a triple, and the sum of h // m over all groups is at most c // m for a cluster of c records; so
no partition has an SSE below the sum of all duals of records, less those of the triples and c // m
times those of the clusters. *Triples* and *clusters* say how many of them a proof uses. *Bound
claimed*: what `prove` states, which may be higher where an integer programme, solved by HiGHS,
chooses among groups of low reduced cost. Nobody else has checked this part; an optimum is a claim
of this kind. Where both bounds agree, nothing rests on an integer programme.

## Check them

```text
make records
```

recomputes all losses and searches exhaustively, by branch and bound, for a group that violates the
duals. It takes seconds for small k. `python -m reproduction.records --only
eia-3` checks one cell, `--quick` only partitions and sums. The file
`reproduction/records/verifier.py` is the whole verifier, and `reproduction/records/record.py`
describes the format of the files.

## Beat them

```text
python -m reproduction.records --improve eia-3 --seconds 1800 --seed 1
```

continues from the partition and the duals on record, for some CPU seconds, and writes the file and
this page when something is better. A file made by any other method is welcome as well: a partition
of lower loss, or duals with a higher sum that pass the check.
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
    missing = [name for name in NAMES if name not in present]
    rows = "".join(row(present[name]) for name in NAMES if name in present)
    return HEAD + rows + (MISSING.format(", ".join(missing)) if missing else "") + FOOT


def write_page() -> None:
    """Write the page from the files."""
    PAGE.write_text(page(map(read, published())))
