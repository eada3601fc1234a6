"""Write the measurements into the pages of docs, as tables between marks.

    python benchmarks/published.py            the tables of all pages that have tables
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


def format_short(number):
    """Return a number with two or three significant digits."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}" if number >= 0.1 else f"{number:.2g}"


def markdown_table(titles, lines):
    """Return a table; the first column is text, the others are numbers."""
    lines = [line for line in lines if any(str(cell) for cell in line[1:])]
    bars = ["---"] + ["---:"] * (len(titles) - 1)
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in [titles, bars, *lines])


def find_entry(entries, **wanted):
    """Return the first entry with the wanted values, or None."""
    return next(
        (
            entry
            for entry in entries
            if all(entry.get(name) == value for name, value in wanted.items())
        ),
        None,
    )


def speed_cell(entries, **wanted):
    """Return CPU seconds, and how many times faster than the baseline."""
    entry = find_entry(entries, engine="shoal", **wanted)
    if entry is None:
        return ""
    ratio = f" ({format_short(entry['times_faster'])}x)" if "times_faster" in entry else ""
    return format_short(entry["cpu_seconds"]) + ratio


def by_length():
    """Return the table of time by number of records, with 13 columns."""
    entries = results("speed")
    lengths = sorted({e["n"] for e in entries})
    return markdown_table(
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
    return markdown_table(
        ["columns, k", *KINDS.values()],
        [
            [f"p = {p}, k = {k}"]
            + [speed_cell(entries, kind=kind, n=100_000, p=p, k=k) for kind in KINDS]
            for p, k in shapes
        ],
    )


def by_width():
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
            is_complete = index and passes
            ratio = passes["cpu_seconds"] / index["cpu_seconds"] if is_complete else 0
            line.append(
                f"{format_short(index['cpu_seconds'])} ({format_short(ratio)}x)"
                if is_complete
                else ""
            )
        lines.append(line)
    return markdown_table(["columns", *kinds.values()], lines)


def neighbours():
    """Return the table of neighbours and `refine`, with the index alone and as chosen."""
    kinds = KINDS | {"load-profiles": "load profiles"}
    lines = []
    for entry in results("neighbours"):
        pairs = [
            (entry[f"{computation}_index"], entry[f"{computation}_chosen"])
            for computation in ("neighbours", "refine")
        ]
        cells = [
            f"{format_short(chosen)} ({format_short(index_only / chosen)}x)"
            for index_only, chosen in pairs
        ]
        lines.append([f"{kinds[entry['kind']]}, n = {entry['n']:,}, p = {entry['p']:,}", *cells])
        lines[-1] += [
            format_short(entry["mdav"]),
            format_short(entry["plain"]) if entry["plain"] else "",
        ]
    return markdown_table(["table", "neighbours", "`refine`", "MDAV", "plain MDAV"], lines)


def million_records():
    """Return the table of time and memory for a million records."""
    entries = [
        entry
        for entry in results("speed")
        if entry["n"] == 1_000_000 and entry["engine"] == "shoal"
    ]
    return markdown_table(
        ["kind", "p", "k", "CPU seconds", "growth since 100,000", "peak memory / table"],
        [
            [
                KINDS[entry["kind"]],
                entry["p"],
                entry["k"],
                format_short(entry["cpu_seconds"]),
                entry["growth"],
                entry["memory"],
            ]
            for kind in KINDS
            for entry in entries
            if entry["kind"] == kind
        ],
    )


def other_packages():
    """Return the table of other packages on the same data."""
    entries = results("rivals")
    packages = list(dict.fromkeys(entry["package"] for entry in entries))
    versions = {entry["package"]: entry["version"] for entry in entries if entry.get("version")}

    def cell(entry):
        if entry is None:
            return ""
        seconds, megabytes = format_short(entry["cpu_seconds"]), format_short(entry["megabytes"])
        return f"{seconds} s, {megabytes} MB, {entry['loss']:.2f} %"

    lengths = sorted({entry["n"] for entry in entries if "n" in entry})
    lines = [
        [f"{n:,}", *(cell(find_entry(entries, package=package, n=n)) for package in packages)]
        for n in lengths
    ]
    titles = [
        package if package.startswith("shoal") else f"{package} {versions.get(package, '')}"
        for package in packages
    ]
    return markdown_table(["records", *titles], lines)


def cost_cell(entries, name, kind, n):
    """Return CPU seconds and, in brackets, how many times the counted arithmetic that is."""
    entry = find_entry(entries, name=name, kind=kind, n=n)
    if entry is None:
        return ""
    if "skipped" in entry:
        return "not run: " + entry["skipped"]
    return f"{format_short(entry['cpu_seconds'])} ({format_short(entry['ratio'])})"


def costs(what):
    """Return the table of the time of methods or measures, and its ratio to their arithmetic."""
    entries = [e for e in results("costs") if e["what"] == what]
    cases = [(n, kind) for n in (10_000, 100_000) for kind in ("clustered", "gaussian")]
    cases = [case for case in cases if any((e["n"], e["kind"]) == case for e in entries)]
    return markdown_table(
        [what, *(f"{n:,} {KINDS[kind]}" for n, kind in cases)],
        [
            [f"`{name}`", *(cost_cell(entries, name, kind, n) for n, kind in cases)]
            for name in dict.fromkeys(e["name"] for e in entries)
        ],
    )


def budgets():
    """Return the table of methods with a time budget."""
    return markdown_table(
        ["method", "table", "CPU seconds", "what that gave"],
        [
            [
                f"`{entry['name']}`",
                f"{entry['n']:,} {KINDS[entry['kind']]}",
                format_short(entry["cpu_seconds"]),
                entry["gave"],
            ]
            for entry in results("costs")
            if entry["what"] == "budget"
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
    entries = [entry for entry in results("interfaces") if "interface" in entry]
    stages = list(dict.fromkeys(stage for entry in reversed(entries) for stage in entry["stages"]))
    titles = [f"{entry['interface']}, {entry['n']:,}" for entry in entries]
    lines = [
        [
            stage,
            *(
                format_short(entry["stages"][stage]) if stage in entry["stages"] else ""
                for entry in entries
            ),
        ]
        for stage in stages
    ]
    lines.append(["all, CPU seconds", *(format_short(entry["cpu_seconds"]) for entry in entries)])
    lines.append(["peak memory / numbers", *(entry["memory"] for entry in entries)])
    return markdown_table(["stage", *titles], lines)


def start_up_times():
    """Return the table of start-up times."""
    entries = [entry for entry in results("interfaces") if "opening" in entry]
    lines = [[f"`{entry['opening']}`", entry["cpu_seconds"]] for entry in entries]
    return markdown_table(["command", "CPU seconds"], lines)


def compiling():
    """Return the table of the time that the first call of each method compiles."""
    lines = []
    for entry in results("compiling"):
        slowest = [f"{name} {seconds:.1f}" for name, seconds in list(entry["kernels"].items())[:4]]
        lines.append([f"`{entry['method']}`", entry["short"], entry["long"], ", ".join(slowest)])
    return markdown_table(["method", "short tables", "long tables too", "slowest kernels"], lines)


def large_tables():
    """Return the table of time and memory of large tables."""
    entries = [entry for entry in results("large") if entry["engine"] == "dask"]
    titles = ["records", "method", "seconds", "records a second", "CPU seconds", "growth",
              "MB of a worker", "idle", "loss, %", "linkage"]  # fmt: skip

    def growth(entry):
        """Return the exponent of CPU time in n since the next shorter table."""
        same_method = [other for other in entries if other["method"] == entry["method"]]
        shorter = [other for other in same_method if other["n"] < entry["n"]]
        if not shorter:
            return ""
        previous = max(shorter, key=lambda other: other["n"])
        log_ratio = math.log(entry["cpu_seconds"] / previous["cpu_seconds"])
        return f"{log_ratio / math.log(entry['n'] / previous['n']):.2f}"

    lines = [
        [
            f"{entry['n']:,}",
            f"`{entry['method']}`",
            format_short(entry["seconds"]),
            f"{entry['rows_per_second']:,}",
            format_short(entry["cpu_seconds"]),
            growth(entry),
            *(entry[name] for name in ("megabytes", "idle_megabytes", "loss", "linkage")),
        ]
        for entry in entries
    ]
    return markdown_table(titles, lines)


def dask_overhead():
    """Return the table of the overhead of Dask over joblib."""
    entries = results("large")
    lines = []
    for entry in entries:
        joblib = find_entry(entries, engine="joblib", method=entry["method"], n=entry["n"])
        if entry["engine"] == "dask" and joblib:
            extra_seconds = entry["cpu_seconds"] - joblib["cpu_seconds"]
            lines.append(
                [
                    f"{entry['n']:,}",
                    f"`{entry['method']}`",
                    format_short(joblib["cpu_seconds"]),
                    format_short(entry["cpu_seconds"]),
                    f"{1e6 * extra_seconds / entry['n']:.0f}",
                    joblib["loss"],
                    entry["loss"],
                ]
            )
    titles = ["records", "method", "joblib, CPU seconds", "Dask, CPU seconds", "more, µs a record",
              "loss by joblib, %", "by Dask, %"]  # fmt: skip
    return markdown_table(titles, lines)


def block_borders():
    """Return the table of what the borders of blocks cost."""
    entries = [entry for entry in results("large") if entry["engine"] == "borders"]
    lines = [
        [KINDS[entry["method"]], entry["p"], entry["loss"], entry["keep"], entry["refine"]]
        for entry in entries
    ]
    titles = ["kind", "columns", "loss of MDAV, %", "seams kept, ratio", "seams refined, ratio"]
    return markdown_table(titles, lines)


TABLES = {
    "large": large_tables, "overhead": dask_overhead, "borders": block_borders,
    "by-length": by_length, "by-shape": by_shape, "wide": by_width, "millions": million_records,
    "neighbours": neighbours, "rivals": other_packages,
    "methods": lambda: costs("method"), "measures": lambda: costs("measure"),
    "budgets": budgets, "cost-commits": cost_commits,
    "interfaces": interfaces, "opening": start_up_times, "compiling": compiling,
}  # fmt: skip


def fill_tables(text):
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
        if options.check and fill_tables(text) != text:
            sys.exit(f"docs/{name} is older than benchmarks/results: run published.py.")
        path.write_text(fill_tables(text))


if __name__ == "__main__":
    main()
