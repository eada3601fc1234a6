"""Write the measurements into the pages of docs, as tables between marks.

    python benchmarks/published.py            the tables of all pages that have some
    python benchmarks/published.py --check    fail if they are not up to date

A table stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.
"""

import argparse
import math
import re
import sys

import harness

DOCS = harness.HERE.parent / "docs"
PAGES = ["speed.md", "costs.md", "choose/index.md", "large-tables.md"]
KINDS = {"clustered": "clustered", "heavy-tailed": "heavy-tailed", "gaussian": "Gaussian"}


def results(name):
    """Return the measurements of one benchmark."""
    return harness.load(harness.HERE / "results" / f"{name}.json")


def short(number):
    """Return a number with two or three significant digits."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}" if number >= 0.1 else f"{number:.2g}"


def rows(titles, lines):
    """Return a table; the first column is text, the others are numbers."""
    lines = [line for line in lines if any(str(cell) for cell in line[1:])]
    bars = ["---"] + ["---:"] * (len(titles) - 1)
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in [titles, bars, *lines])


def find_entry(entries, **wanted):
    """Return the first entry with some values, or None."""
    return next(
        (e for e in entries if all(e.get(name) == value for name, value in wanted.items())), None
    )


def speed_cell(entries, **wanted):
    """Return CPU seconds, and how many times faster than the baseline."""
    entry = find_entry(entries, engine="shoal", **wanted)
    if entry is None:
        return ""
    ratio = f" ({short(entry['times_faster'])}x)" if "times_faster" in entry else ""
    return short(entry["cpu_seconds"]) + ratio


def by_length():
    """Return the table of time by number of records, with 13 columns."""
    entries = results("speed")
    lengths = sorted({e["n"] for e in entries})
    return rows(
        ["records, k", *KINDS.values()],
        [
            [f"{n:,}, k = {k}", *(speed_cell(entries, kind=kind, n=n, p=13, k=k) for kind in KINDS)]
            for k in (3, 10)
            for n in lengths
        ],
    )


def by_shape():
    """Return the table of time by number of columns and k, with 100,000 records."""
    entries = results("speed")
    shapes = sorted({(e["p"], e["k"]) for e in entries})
    return rows(
        ["columns, k", *KINDS.values()],
        [
            [f"p = {p}, k = {k}"]
            + [speed_cell(entries, kind=kind, n=100_000, p=p, k=k) for kind in KINDS]
            for p, k in shapes
        ],
    )


def wide():
    """Return the table of time with many columns, by the index and by passes over all records."""
    entries = results("wide")
    kinds = {"clustered": "clustered", "load-profiles": "load profiles", "gaussian": "Gaussian"}
    lines = []
    for p in sorted({e["p"] for e in entries}):
        line = [f"p = {p:,}"]
        for kind in kinds:
            index, passes = (
                find_entry(entries, engine=engine, kind=kind, p=p) for engine in ("shoal", "flat")
            )
            both = index and passes
            ratio = passes["cpu_seconds"] / index["cpu_seconds"] if both else 0
            line.append(f"{short(index['cpu_seconds'])} ({short(ratio)}x)" if both else "")
        lines.append(line)
    return rows(["columns", *kinds.values()], lines)


def neighbours():
    """Return the table of neighbours and `refine`, with the index alone and as chosen."""
    kinds = KINDS | {"load-profiles": "load profiles"}
    lines = []
    for e in results("neighbours"):
        pairs = [(e[f"{what}_index"], e[f"{what}_chosen"]) for what in ("neighbours", "refine")]
        cells = [f"{short(new)} ({short(old / new)}x)" for old, new in pairs]
        lines.append([f"{kinds[e['kind']]}, n = {e['n']:,}, p = {e['p']:,}", *cells])
        lines[-1] += [short(e["mdav"]), short(e["plain"]) if e["plain"] else ""]
    return rows(["table", "neighbours", "`refine`", "MDAV", "plain MDAV"], lines)


def millions():
    """Return the table of time and memory for a million records."""
    entries = [e for e in results("speed") if e["n"] == 1_000_000 and e["engine"] == "shoal"]
    return rows(
        ["kind", "p", "k", "CPU seconds", "growth since 100,000", "peak memory / table"],
        [
            [KINDS[e["kind"]], e["p"], e["k"], short(e["cpu_seconds"]), e["growth"], e["memory"]]
            for kind in KINDS
            for e in entries
            if e["kind"] == kind
        ],
    )


def rivals():
    """Return the table of other packages on the same data."""
    entries = results("rivals")
    packages = list(dict.fromkeys(e["package"] for e in entries))
    versions = {e["package"]: e["version"] for e in entries if e.get("version")}
    lines = []
    for n in sorted({e["n"] for e in entries if "n" in e}):
        line = [f"{n:,}"]
        for package in packages:
            e = find_entry(entries, package=package, n=n)
            line.append(
                f"{short(e['cpu_seconds'])} s, {short(e['megabytes'])} MB, {e['loss']:.2f} %"
                if e
                else ""
            )
        lines.append(line)
    titles = [p if p.startswith("shoal") else f"{p} {versions.get(p, '')}" for p in packages]
    return rows(["records", *titles], lines)


def cost_cell(entries, name, kind, n):
    """Return CPU seconds and, in brackets, how many times the counted arithmetic that is."""
    entry = find_entry(entries, name=name, kind=kind, n=n)
    if entry is None:
        return ""
    if "skipped" in entry:
        return "not run: " + entry["skipped"]
    return f"{short(entry['cpu_seconds'])} ({short(entry['ratio'])})"


def costs(what):
    """Return the table of the time of methods or measures, and its ratio to their arithmetic."""
    entries = [e for e in results("costs") if e["what"] == what]
    cases = [(n, kind) for n in (10_000, 100_000) for kind in ("clustered", "gaussian")]
    cases = [case for case in cases if any((e["n"], e["kind"]) == case for e in entries)]
    return rows(
        [what, *(f"{n:,} {KINDS[kind]}" for n, kind in cases)],
        [
            [f"`{name}`", *(cost_cell(entries, name, kind, n) for n, kind in cases)]
            for name in dict.fromkeys(e["name"] for e in entries)
        ],
    )


def budgets():
    """Return the table of methods with a time budget."""
    return rows(
        ["method", "table", "CPU seconds", "what that gave"],
        [
            [f"`{e['name']}`", f"{e['n']:,} {KINDS[e['kind']]}", short(e["cpu_seconds"]), e["gave"]]
            for e in results("costs")
            if e["what"] == "budget"
        ],
    )


def cost_commits():
    """Return a sentence on the commits that were measured."""
    commits = list(dict.fromkeys(e["commit"] for e in results("costs")))
    text = ", ".join(f"`{commit}`" for commit in commits)
    if len(commits) == 1:
        return f"Measured in one run, at commit {text}."
    return (
        f"Measured on several commits ({text}), some before kernels\ngot faster; `make benchmarks`"
        " measures everything again."
    )


def interfaces():
    """Return the table of the time of a whole release, by stage."""
    entries = [e for e in results("interfaces") if "interface" in e]
    stages = list(dict.fromkeys(stage for e in reversed(entries) for stage in e["stages"]))
    titles = [f"{e['interface']}, {e['n']:,}" for e in entries]
    lines = [
        [s, *(short(e["stages"][s]) if s in e["stages"] else "" for e in entries)] for s in stages
    ]
    lines.append(["all, CPU seconds", *(short(e["cpu_seconds"]) for e in entries)])
    lines.append(["peak memory / numbers", *(e["memory"] for e in entries)])
    return rows(["stage", *titles], lines)


def opening():
    """Return the table of start-up times."""
    entries = [e for e in results("interfaces") if "opening" in e]
    lines = [[f"`{e['opening']}`", e["cpu_seconds"]] for e in entries]
    return rows(["command", "CPU seconds"], lines)


def compiling():
    """Return the table of the time that the first call of each method compiles."""
    lines = []
    for e in results("compiling"):
        slowest = [f"{name} {took:.1f}" for name, took in list(e["kernels"].items())[:4]]
        lines.append([f"`{e['method']}`", e["short"], e["long"], ", ".join(slowest)])
    return rows(["method", "short tables", "long tables too", "slowest kernels"], lines)


def large():
    """Return the table of time and memory of large tables."""
    entries = [e for e in results("large") if e["engine"] == "dask"]
    titles = ["records", "method", "seconds", "records a second", "CPU seconds", "growth",
              "MB of a worker", "idle", "loss, %", "linkage"]  # fmt: skip
    lines = []
    for e in entries:
        shorter = [o for o in entries if o["method"] == e["method"] and o["n"] < e["n"]]
        last = max(shorter, key=lambda o: o["n"], default=None)
        rise = math.log(e["cpu_seconds"] / last["cpu_seconds"]) if last else 0.0
        growth = f"{rise / math.log(e['n'] / last['n']):.2f}" if last else ""
        lines.append([f"{e['n']:,}", f"`{e['method']}`", short(e["seconds"]),
                      f"{e['rows_per_second']:,}", short(e["cpu_seconds"]), growth, e["megabytes"],
                      e["idle_megabytes"], e["loss"], e["linkage"]])  # fmt: skip
    return rows(titles, lines)


def overhead():
    """Return the table of the overhead of Dask over joblib."""
    entries = results("large")
    lines = []
    for e in entries:
        other = find_entry(entries, engine="joblib", method=e["method"], n=e["n"])
        if e["engine"] == "dask" and other:
            more = e["cpu_seconds"] - other["cpu_seconds"]
            lines.append([f"{e['n']:,}", f"`{e['method']}`", short(other["cpu_seconds"]),
                          short(e["cpu_seconds"]), f"{1e6 * more / e['n']:.0f}",
                          other["loss"], e["loss"]])  # fmt: skip
    return rows(
        ["records", "method", "joblib, CPU seconds", "Dask, CPU seconds", "more, µs a record",
         "loss by joblib, %", "by Dask, %"], lines,
    )  # fmt: skip


def borders():
    """Return the table of what the borders of blocks cost."""
    entries = [e for e in results("large") if e["engine"] == "borders"]
    lines = [[KINDS[e["method"]], e["p"], e["loss"], e["keep"], e["refine"]] for e in entries]
    titles = ["kind", "columns", "loss of MDAV, %", "seams kept, ratio", "seams refined, ratio"]
    return rows(titles, lines)


TABLES = {
    "large": large, "overhead": overhead, "borders": borders,
    "by-length": by_length, "by-shape": by_shape, "wide": wide, "millions": millions,
    "neighbours": neighbours, "rivals": rivals,
    "methods": lambda: costs("method"), "measures": lambda: costs("measure"),
    "budgets": budgets, "cost-commits": cost_commits,
    "interfaces": interfaces, "opening": opening, "compiling": compiling,
}  # fmt: skip


def filled(text):
    """Return a page with its tables filled from the results."""
    import choose_tables  # which imports this module

    tables = TABLES | choose_tables.TABLES

    def table(mark):
        name = mark.group(1)
        return f"<!-- begin {name} -->\n\n{tables[name]()}\n\n<!-- end {name} -->"

    return re.sub(r"<!-- begin (\S+) -->.*?<!-- end \1 -->", table, text, flags=re.DOTALL)


def main(arguments=None):
    """Fill the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    for name in PAGES:
        path = DOCS / name
        text = path.read_text()
        if options.check and filled(text) != text:
            sys.exit(f"docs/{name} is older than benchmarks/results: run published.py.")
        path.write_text(filled(text))


if __name__ == "__main__":
    main()
