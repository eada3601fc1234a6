"""The tables of docs/choose/index.md, from the measurements of ``choose.py``."""

from published import results, rows, short

KINDS = ("survey", "categories", "heavy-tailed", "clustered", "gaussian", "one column")
TITLES = {"gaussian": "Gaussian"}
ADVICE = ("auto", "search")


def entries(part):
    """Return the measurements of one part."""
    return [entry for entry in results("choose") if entry["part"] == part]


def percent(share):
    """Return a share as per cent."""
    return f"{100 * share:.1f}"


def named(entry, *names):
    """Return some fields of an entry, as code."""
    return ", ".join(f"`{entry[name]}`" for name in names)


def losses():
    """Return the table of losses by method and kind of table."""
    measured = {(e["method"], e["kind"]): e for e in entries("method")}
    methods = list(dict.fromkeys(method for method, _ in measured))
    best = {
        kind: min(e["loss"] for (m, at), e in measured.items() if at == kind and m not in ADVICE)
        for kind in KINDS
    }

    def cell(method, kind):
        entry = measured.get((method, kind))
        if entry is None:
            return ""
        bold = "**" if method not in ADVICE and entry["loss"] == best[kind] else ""
        return f"{bold}{entry['loss']:.2f}{bold}"

    methods.sort(key=lambda method: -measured.get((method, "survey"), {"loss": 0})["loss"])
    return rows(
        ["method", *(TITLES.get(kind, kind) for kind in KINDS)],
        [[f"`{method}`", *(cell(method, kind) for kind in KINDS)] for method in methods],
    )


def methods():
    """Return the table of loss, utility, risk and time by method, on the survey."""
    survey = sorted(
        (e for e in entries("method") if e["kind"] == "survey"), key=lambda e: e["loss"]
    )
    return rows(
        ["method", "loss %", "correlations off by", "R²", "right links %", "CPU seconds"],
        [
            [named(e, "method"), f"{e['loss']:.2f}", f"{e['correlation_change']:.3f}"]
            + [f"{e['explained']:.3f}", percent(e["linkage"]), short(e["cpu_seconds"])]
            for e in survey[::-1]
        ],
    )


def by_k():
    """Return the table of loss and risk by k."""
    return rows(
        ["k", "loss %", "correlations off by", "R²", "right links %", "1/k %"],
        [
            [e["k"], f"{e['loss']:.2f}", f"{e['correlation_change']:.3f}"]
            + [f"{e['explained']:.3f}", percent(e["linkage"]), percent(1 / e["k"])]
            for e in entries("k")
        ],
    )


def by_dependence():
    """Return the table of loss and risk by dependence."""
    return rows(
        ["dependence", "loss %", "$D_Y$", "R²", "right links %"],
        [
            [e["dependence"], f"{e['loss']:.2f}", f"{e['distortion_y']:.3f}"]
            + [f"{e['explained']:.3f}", percent(e["linkage"])]
            for e in entries("dependence")
        ],
    )


def efforts():
    """Return the table of loss above the bound, and time, by effort."""
    measured = {(e["kind"], e["effort"]): e for e in entries("effort")}
    kinds = list(dict.fromkeys(kind for kind, _ in measured))

    def cell(kind, effort):
        entry, bound = measured[kind, effort], measured[kind, "prove"]
        above = 100 * (entry["loss"] * (1 + bound["gap"]) / bound["loss"] - 1)
        return f"{entry['loss']:.2f} (+{above:.1f}), {short(entry['cpu_seconds'])} s"

    return rows(
        ["effort", *(f"{TITLES.get(kind, kind)}" for kind in kinds)],
        [
            [f"`{effort}`", *(cell(kind, effort) for kind in kinds)]
            for effort in dict.fromkeys(effort for _, effort in measured)
        ],
    )


def lengths():
    """Return the table of loss and time by method and number of records."""
    measured = {(e["method"], e["n"]): e for e in entries("length")}
    sizes = sorted({n for _, n in measured})

    def cell(entry):
        return f"{entry['loss']:.2f} %, {short(entry['cpu_seconds'])} s" if entry else ""

    return rows(
        ["method", *(f"{n:,} records" for n in sizes)],
        [
            [f"`{method}`", *(cell(measured.get((method, n))) for n in sizes)]
            for method in dict.fromkeys(method for method, _ in measured)
        ],
    )


def by_block_size():
    """Return the table of loss and risk by the number of columns masked together."""
    measured = {(e["kind"], e["blocks"]): e for e in entries("blocks")}
    kinds = list(dict.fromkeys(kind for kind, _ in measured))
    titles = [f"{kind}: {what}" for kind in kinds for what in ("loss %", "right links %")]

    def cells(size):
        for kind in kinds:
            entry = measured[kind, size]
            yield from (f"{entry['loss']:.2f}", percent(entry["linkage"]))

    return rows(
        ["columns masked together", *titles],
        [[size or "all", *cells(size)] for size in dict.fromkeys(size for _, size in measured)],
    )


def by_guarantee():
    """Return the table of the cost of further guarantees."""
    return rows(
        ["guarantee besides k = 5", "loss %", "classes", "of one value", "right links %"],
        [
            [e["promise"], f"{e['loss']:.2f}", f"{e['classes']:g}", f"{e['homogeneous']:g}"]
            + [percent(e["linkage"])]
            for e in entries("promise")
        ],
    )


TABLES = {
    "choose-losses": losses, "choose-looks": methods, "choose-k": by_k,
    "choose-dependence": by_dependence, "choose-effort": efforts, "choose-length": lengths,
    "choose-blocks": by_block_size, "choose-promise": by_guarantee,
}  # fmt: skip
