"""The loss of MDAV, refine, search and prove, on reference tables and on random ones.

    python benchmarks/quality.py --effort refine           seconds
    python benchmarks/quality.py --effort search           minutes: 15 reference and 6 drawn cases
    python benchmarks/quality.py --effort prove            half an hour
    python benchmarks/quality.py --tables census -k 3 --effort search --rounds 400000
    python benchmarks/quality.py --page                    only write the page again

Each entry goes into docs/quality.json (loss in %, CPU seconds of all
threads, for a search the seed and the rounds that repeat it, for a proof the bound in % and
whether the groups are the best) and replaces the entry of that table, k and effort; then
docs/quality.md is written from it. A proof starts from the groups of the search in the JSON.
Its budget is in CPU seconds of all threads, so that a busy machine gives the same figures.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
sys.path.append(str(HERE))  # for the generators

REFERENCE = ("tarragona", "census", "eia")
RANDOM = ("gaussian", "clustered", "heavy-tailed")
SIZES = (2, 3, 4, 5, 10)
RANDOM_SIZES = (3, 10)
SEED = 1
PROOF_SECONDS = 120.0  # CPU seconds of all threads, including the search before a proof
# Loss in % that the first prototype reached: refined, searched for about 10 s, and best of all.
PROTOTYPE = {
    "tarragona": (
        ("8.958", "14.759", "17.362", "20.356", "30.537"),
        ("8.818", "14.476", "17.120", "20.158", "30.141"),
        ("8.8155", "14.4675", "17.1134", "20.1582", "30.141"),
    ),
    "census": (
        ("2.940", "4.978", "6.413", "7.684", "11.850"),
        ("2.769", "4.711", "6.072", "7.291", "11.475"),
        ("2.75827", "4.6684", "6.0715", "7.2804", "11.463"),
    ),
    "eia": (
        ("0.1888", "0.3566", "0.5075", "0.7473", "1.9832"),
        ("0.1783", "0.3506", "0.4856", "0.7307", "1.941"),
        ("0.17824", "0.34890", "0.48302", "0.73067", "1.941"),
    ),
}
HEAD = """\
# Information loss, and its distance from the optimum

The table shows information losses by table and k, in % of the variance of the z-scores:

- *mdav*, *refine*: the loss of MDAV, and after `refine`.
- *search*: the loss after `search` with 10 to 20 CPU seconds.
- *prove*: the loss after `prove` with 120 CPU seconds in all, including the search that it starts
  from.
- *bound*: a lower bound on the loss of all partitions into groups of at least k records.
- *gap*: by how much the loss after `prove` exceeds the bound, in %; 0 if the groups are proven to
  be optimal.
- *CPU s*: CPU seconds of all threads for `refine`, `search` and `prove`. An integer programme that
  does not stop at once when the time is over makes `prove` take longer.

The figures in brackets are those of the first prototype of these methods; losses in **bold** are at
or below them. An empty cell was not measured. [Records](records.md) has the best partitions and
bounds known, with proofs that everyone can check.

`benchmarks/quality.py` takes the measurements, stores them in `quality.json` and writes this page
from it. The JSON contains the seed and the rounds with which a search can be repeated. A test
regenerates the page and runs `refine` again.

"""
LONG_HEAD = """
## Long tables

For longer tables, a bound is proven by one dual value per record:
`shoal.lower_bound(X, k, effort="blocks")` does so, and `prove` beyond 5,000 records. No k records
have an SSE below the sum of their duals. Then no larger group has either, and no partition has an
SSE below the sum of all duals. `reproduction/records/verifier.py` checks such duals with plain
NumPy. `shoal.scale.lower_bound` proves the same bound
[on a cluster](large-tables.md#lower-bounds).

The tables below have 13 columns, and k = 5:

- *loss*: the loss of `auto`.
- *quick bound* and *bound*: the quick bound and the better one of `effort="blocks"`, each followed
  by its gap in %. An asterisk marks a bound that was ended early, by its budget of CPU seconds or
  by Ctrl-C; more time raises it.
- *CPU s*: CPU seconds in one thread for the groups (including compilation), the quick bound and the
  better bound.
- *memory*: the memory that the better bound takes (or the quick one, if there is no other), in
  multiples of the table. Some of it is the same for tables of any length: what one block and the
  search at one record take. For 1,000,000 clustered records, the first 200 CPU seconds were
  measured again after a change; later phases are from the log of the whole run.

`benchmarks/bounds.py` takes these measurements and writes `bounds.json`.

"""
BLOCKED_NOTE = """\
If `auto` groups block by block, the figures in brackets are those after refining its groups across
all blocks.

"""


def table(name):
    """Return a table as z-scores."""
    if name in RANDOM:
        from generators import table as random_table

        return random_table(name, 1000, 8)
    from shoal import datasets

    data = datasets.CATALOGUE[name].load(kind="pyarrow").select(datasets.COLUMNS[name])
    X = np.column_stack([column.to_numpy() for column in data.columns]).astype(np.float64)
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))


def measure(name, k, effort, options, entry_by_case):
    """Return an entry: the loss of one effort on one table."""
    from harness import loss
    from shoal.partitioners import MDAV
    from shoal.partitioners._local_search.refine import refine

    X = table(name)
    labels, entry = MDAV(k=k).fit_predict(X), {"table": name, "k": k, "effort": effort}
    refine(X[: 4 * k], np.zeros(4 * k, np.int64), k)  # compiled before the clock starts
    start = time.process_time()
    if effort == "refine":
        labels = refine(X, labels, k)
    elif effort == "search":
        labels, details = run_search(X, labels, k, **options)
        entry |= details
    elif effort == "prove":
        labels, details = run_proof(X, labels, k, entry_by_case[name, k, "search"])
        entry |= details
    seconds = round(time.process_time() - start, 2)
    return entry | {"loss": round(loss(X, labels), 5), "cpu_seconds": seconds}


def run_search(X, labels, k, **limit):
    """Return the groups that a search finds, and what is needed to repeat it."""
    from shoal.partitioners._local_search.search import search

    result = search(X, labels, k, seed=SEED, **limit)
    return result.labels, {
        "seed": SEED,
        "rounds": result.rounds,
        "rounds_made": list(result.rounds_made),
    }


def run_proof(X, labels, k, search):
    """Return the best groups known after a proof, and what it proved."""
    from shoal.partitioners._column_generation.prove import prove

    prove(X[: 40 * k], np.arange(40 * k) // k, k, budget=1)  # compiled before the clock starts
    start = time.process_time()
    labels, _ = run_search(X, labels, k, rounds=search["rounds"], rounds_made=search["rounds_made"])
    remaining_seconds = PROOF_SECONDS - (time.process_time() - start)
    proof = prove(X, labels, k, budget=remaining_seconds, clock=time.process_time)
    bound = round(100 * proof.bound / X.size, 6)
    return proof.labels, {
        "bound": bound,
        "gap": round(100 * proof.gap, 5),
        "optimal": proof.optimal,
    }


def page(entries, bounds=()):
    """Return the page that shows the entries, and those of long tables."""
    entry_by_case = by_case(entries)
    head = ("table", "k", "mdav", "refine", "search", "prove", "bound", "gap", "CPU s")
    lines = [HEAD + "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name in REFERENCE + RANDOM:
        for position, k in enumerate(SIZES if name in REFERENCE else RANDOM_SIZES):
            losses_by_effort = PROTOTYPE.get(name)
            prototype_losses = (
                [losses[position] for losses in losses_by_effort]
                if losses_by_effort
                else [None] * 3
            )
            lines.append(table_row(name, k, entry_by_case, prototype_losses))
    return "\n".join(lines) + "\n" + long_tables(bounds)


def long_tables(entries):
    """Return the section on certificates of long tables."""
    if not entries:
        return ""
    head = ("table", "records", "loss", "quick bound", "gap", "bound", "gap", "CPU s", "memory")
    note = BLOCKED_NOTE if any("refined" in entry for entry in entries) else ""
    lines = [LONG_HEAD + note + "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for entry in entries:
        seconds = [entry["group_seconds"], entry["quick_seconds"]]
        cells = [entry["table"], f"{entry['n']:,}", f"{entry['loss']:.5g}", f"{entry['quick']:.5g}"]
        cells += [f"{entry['quick_gap']:.3g}", "", ""]
        if "bound" in entry:
            asterisk = "" if entry.get("complete", True) else "*"
            cells[-2:] = [f"{entry['bound']:.5g}", f"{entry['gap']:.3g}{asterisk}"]
            seconds.append(entry["bound_seconds"])
        if "refined" in entry:
            cells[2] += f" ({entry['refined']:.5g})"
            cells[-1 if "bound" in entry else 4] += f" ({entry['refined_gap']:.3g})"
        memory = "" if entry["memory"] is None else f"{entry['memory']:g}"
        cells += [" / ".join(f"{value:g}" for value in seconds), memory]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def by_case(entries):
    """Return the entries by table, k and effort."""
    return {(entry["table"], entry["k"], entry["effort"]): entry for entry in entries}


def table_row(name, k, entry_by_case, prototype_losses):
    """Return one row of the table; cells without a measurement are empty."""

    def cell(effort, prototype_loss=None):
        entry = entry_by_case.get((name, k, effort))
        text = f"{entry['loss']:.5g}" if entry else ""
        if prototype_loss is None:
            return text
        digits = len(prototype_loss.partition(".")[2])  # the prototype's figures are rounded
        is_reached = entry is not None and round(entry["loss"], digits) <= float(prototype_loss)
        return f"{f'**{text}**' if is_reached else text} ({prototype_loss})".strip()

    proof = entry_by_case.get((name, k, "prove"), {})
    gap = "0 (optimal)" if proof.get("optimal") else f"{proof['gap']:.3g}" if proof else ""
    efforts = ("refine", "search", "prove")
    times = [entry_by_case.get((name, k, effort), {}).get("cpu_seconds") for effort in efforts]
    cells = [name, str(k), cell("mdav")]
    cells += [
        cell(effort, prototype_loss)
        for effort, prototype_loss in zip(efforts, prototype_losses, strict=True)
    ]
    cells += [f"{proof['bound']:.6g}" if proof else "", gap]
    cells += [" / ".join(f"{seconds:g}" for seconds in times if seconds is not None)]
    return "| " + " | ".join(cells) + " |"


def main():
    """Measure the given cases and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="+", default=REFERENCE + RANDOM)
    parser.add_argument("-k", type=int, nargs="+")
    parser.add_argument("--effort", nargs="+", default=["mdav", "refine", "search", "prove"])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--page", action="store_true", help="measure nothing")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "src"))
    limit = {"rounds": options.rounds} if options.rounds else {"seconds": options.seconds}
    store = DOCS / "quality.json"
    entries = json.loads(store.read_text()) if store.exists() else []
    for name in [] if options.page else options.tables:
        for k in options.k or (SIZES if name in REFERENCE else RANDOM_SIZES):
            for effort in options.effort:
                entry = measure(name, k, effort, limit, by_case(entries))
                print(json.dumps(entry), flush=True)
                stored = by_case(entries) | {(name, k, effort): entry}
                entries = sorted(stored.values(), key=lambda e: (e["table"], e["k"], e["effort"]))
                store.write_text(json.dumps(entries, indent=1) + "\n")
    write_page()


def write_page():
    """Write the page from the stored entries."""
    stores = [DOCS / "quality.json", DOCS / "bounds.json"]
    entries, bounds = (json.loads(s.read_text()) if s.exists() else [] for s in stores)
    (DOCS / "quality.md").write_text(page(entries, bounds))


if __name__ == "__main__":
    main()
