"""The tables of docs/choose/index.md, from the measurements of ``choose.py``."""

from published import format_short, markdown_table, results

KINDS = ("survey", "categories", "heavy-tailed", "clustered", "gaussian", "one column")
TITLES = {"gaussian": "Gaussian"}
ADVICE = ("auto", "search")


def entries(part):
    """Return the measurements of one part."""
    return [entry for entry in results("choose") if entry["part"] == part]


def format_percent(share):
    """Return a share as per cent."""
    return f"{100 * share:.1f}"


def as_code(entry, *names):
    """Return some fields of an entry, as code."""
    return ", ".join(f"`{entry[name]}`" for name in names)


def losses():
    """Return the table of losses by method and kind of table."""
    entry_by_case = {(entry["method"], entry["kind"]): entry for entry in entries("method")}
    methods = list(dict.fromkeys(method for method, _ in entry_by_case))
    least_loss = {
        kind: min(
            entry["loss"]
            for entry in entries("method")
            if entry["kind"] == kind and entry["method"] not in ADVICE
        )
        for kind in KINDS
    }

    def cell(method, kind):
        entry = entry_by_case.get((method, kind))
        if entry is None:
            return ""
        bold = "**" if method not in ADVICE and entry["loss"] == least_loss[kind] else ""
        return f"{bold}{entry['loss']:.2f}{bold}"

    methods.sort(key=lambda method: -entry_by_case.get((method, "survey"), {"loss": 0})["loss"])
    return markdown_table(
        ["method", *(TITLES.get(kind, kind) for kind in KINDS)],
        [[f"`{method}`", *(cell(method, kind) for kind in KINDS)] for method in methods],
    )


def methods():
    """Return the table of loss, utility, risk and time by method, on the survey."""
    survey = sorted(
        (entry for entry in entries("method") if entry["kind"] == "survey"),
        key=lambda entry: entry["loss"],
    )
    return markdown_table(
        ["method", "loss %", "correlations off by", "R²", "right links %", "CPU seconds"],
        [
            [as_code(entry, "method"), f"{entry['loss']:.2f}", f"{entry['correlation_change']:.3f}"]
            + [
                f"{entry['explained']:.3f}",
                format_percent(entry["linkage"]),
                format_short(entry["cpu_seconds"]),
            ]
            for entry in survey[::-1]
        ],
    )


def by_k():
    """Return the table of loss and risk by k."""
    return markdown_table(
        ["k", "loss %", "correlations off by", "R²", "right links %", "1/k %"],
        [
            [entry["k"], f"{entry['loss']:.2f}", f"{entry['correlation_change']:.3f}"]
            + [
                f"{entry['explained']:.3f}",
                format_percent(entry["linkage"]),
                format_percent(1 / entry["k"]),
            ]
            for entry in entries("k")
        ],
    )


def by_dependence():
    """Return the table of loss and risk by dependence."""
    return markdown_table(
        ["dependence", "loss %", "$D_Y$", "R²", "right links %"],
        [
            [entry["dependence"], f"{entry['loss']:.2f}", f"{entry['distortion_y']:.3f}"]
            + [f"{entry['explained']:.3f}", format_percent(entry["linkage"])]
            for entry in entries("dependence")
        ],
    )


def efforts():
    """Return the table of loss above the bound, and time, by effort."""
    entry_by_case = {(e["kind"], e["effort"]): e for e in entries("effort")}
    kinds = list(dict.fromkeys(kind for kind, _ in entry_by_case))

    def cell(kind, effort):
        entry, proof = entry_by_case[kind, effort], entry_by_case[kind, "prove"]
        excess = 100 * (entry["loss"] * (1 + proof["gap"]) / proof["loss"] - 1)
        return f"{entry['loss']:.2f} (+{excess:.1f}), {format_short(entry['cpu_seconds'])} s"

    return markdown_table(
        ["effort", *(f"{TITLES.get(kind, kind)}" for kind in kinds)],
        [
            [f"`{effort}`", *(cell(kind, effort) for kind in kinds)]
            for effort in dict.fromkeys(effort for _, effort in entry_by_case)
        ],
    )


def lengths():
    """Return the table of loss and time by method and number of records."""
    entry_by_case = {(e["method"], e["n"]): e for e in entries("length")}
    sizes = sorted({n for _, n in entry_by_case})

    def cell(entry):
        return f"{entry['loss']:.2f} %, {format_short(entry['cpu_seconds'])} s" if entry else ""

    return markdown_table(
        ["method", *(f"{n:,} records" for n in sizes)],
        [
            [f"`{method}`", *(cell(entry_by_case.get((method, n))) for n in sizes)]
            for method in dict.fromkeys(method for method, _ in entry_by_case)
        ],
    )


def by_block_size():
    """Return the table of loss and risk by the number of columns masked together."""
    entry_by_case = {(e["kind"], e["blocks"]): e for e in entries("blocks")}
    kinds = list(dict.fromkeys(kind for kind, _ in entry_by_case))
    titles = [f"{kind}: {measure}" for kind in kinds for measure in ("loss %", "right links %")]

    def cells(size):
        for kind in kinds:
            entry = entry_by_case[kind, size]
            yield from (f"{entry['loss']:.2f}", format_percent(entry["linkage"]))

    return markdown_table(
        ["columns masked together", *titles],
        [
            [size or "all", *cells(size)]
            for size in dict.fromkeys(size for _, size in entry_by_case)
        ],
    )


def by_guarantee():
    """Return the table of the cost of further guarantees."""
    return markdown_table(
        ["guarantee besides k = 5", "loss %", "classes", "of one value", "right links %"],
        [
            [
                entry["promise"],
                f"{entry['loss']:.2f}",
                f"{entry['classes']:g}",
                f"{entry['homogeneous']:g}",
            ]
            + [format_percent(entry["linkage"])]
            for entry in entries("promise")
        ],
    )


TABLES = {
    "choose-losses": losses, "choose-looks": methods, "choose-k": by_k,
    "choose-dependence": by_dependence, "choose-effort": efforts, "choose-length": lengths,
    "choose-blocks": by_block_size, "choose-promise": by_guarantee,
}  # fmt: skip
