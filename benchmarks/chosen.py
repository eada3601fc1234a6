"""The tables of docs/choose/index.md, from what ``choose.py`` measured; ``published.py`` asks."""

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
    """Return what tells an entry from its like, as code."""
    return ", ".join(f"`{entry[name]}`" for name in names)


def losses():
    """Tell what every method loses on every kind of table."""
    actual = {(e["method"], e["kind"]): e for e in entries("method")}
    methods = list(dict.fromkeys(method for method, _ in actual))
    best = {
        kind: min(e["loss"] for (m, at), e in actual.items() if at == kind and m not in ADVICE)
        for kind in KINDS
    }

    def cell(method, kind):
        entry = actual.get((method, kind))
        if entry is None:
            return ""
        bold = "**" if method not in ADVICE and entry["loss"] == best[kind] else ""
        return f"{bold}{entry['loss']:.2f}{bold}"

    methods.sort(key=lambda method: -actual.get((method, "survey"), {"loss": 0})["loss"])
    return rows(
        ["method", *(TITLES.get(kind, kind) for kind in KINDS)],
        [[f"`{method}`", *(cell(method, kind) for kind in KINDS)] for method in methods],
    )


def looks():
    """Tell what every method loses, keeps and risks on the survey, and its time."""
    names = sorted((e for e in entries("method") if e["kind"] == "survey"), key=lambda e: e["loss"])
    return rows(
        ["method", "loss %", "correlations off by", "R²", "right links %", "CPU seconds"],
        [
            [named(e, "method"), f"{e['loss']:.2f}", f"{e['correlation_change']:.3f}"]
            + [f"{e['explained']:.3f}", percent(e["linkage"]), short(e["cpu_seconds"])]
            for e in names[::-1]
        ],
    )


def sizes():
    """Tell what k costs and buys."""
    return rows(
        ["k", "loss %", "correlations off by", "R²", "right links %", "1/k %"],
        [
            [e["k"], f"{e['loss']:.2f}", f"{e['correlation_change']:.3f}"]
            + [f"{e['explained']:.3f}", percent(e["linkage"]), percent(1 / e["k"])]
            for e in entries("k")
        ],
    )


def shares():
    """Tell what dependence costs and buys."""
    return rows(
        ["dependence", "loss %", "$D_Y$", "R²", "right links %"],
        [
            [e["dependence"], f"{e['loss']:.2f}", f"{e['distortion_y']:.3f}"]
            + [f"{e['explained']:.3f}", percent(e["linkage"])]
            for e in entries("dependence")
        ],
    )


def efforts():
    """Tell what efforts win, beside the proven optimum, and their time."""
    actual = {(e["kind"], e["effort"]): e for e in entries("effort")}
    kinds = list(dict.fromkeys(kind for kind, _ in actual))

    def cell(kind, effort):
        entry, bound = actual[kind, effort], actual[kind, "prove"]
        above = 100 * (entry["loss"] * (1 + bound["gap"]) / bound["loss"] - 1)
        return f"{entry['loss']:.2f} (+{above:.1f}), {short(entry['cpu_seconds'])} s"

    return rows(
        ["effort", *(f"{TITLES.get(kind, kind)}" for kind in kinds)],
        [
            [f"`{effort}`", *(cell(kind, effort) for kind in kinds)]
            for effort in dict.fromkeys(effort for _, effort in actual)
        ],
    )


def lengths():
    """Tell what methods lose and take on longer and longer tables."""
    actual = {(e["method"], e["n"]): e for e in entries("length")}
    sizes = sorted({n for _, n in actual})

    def cell(entry):
        return f"{entry['loss']:.2f} %, {short(entry['cpu_seconds'])} s" if entry else ""

    return rows(
        ["method", *(f"{n:,} records" for n in sizes)],
        [
            [f"`{method}`", *(cell(actual.get((method, n))) for n in sizes)]
            for method in dict.fromkeys(method for method, _ in actual)
        ],
    )


def apart():
    """Tell what it costs to mask columns apart: nothing, but the protection."""
    actual = {(e["kind"], e["blocks"]): e for e in entries("blocks")}
    kinds = list(dict.fromkeys(kind for kind, _ in actual))
    titles = [f"{kind}: {what}" for kind in kinds for what in ("loss %", "right links %")]

    def cells(size):
        for kind in kinds:
            entry = actual[kind, size]
            yield from (f"{entry['loss']:.2f}", percent(entry["linkage"]))

    return rows(
        ["columns masked together", *titles],
        [[size or "all", *cells(size)] for size in dict.fromkeys(size for _, size in actual)],
    )


def promises():
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
    "choose-losses": losses, "choose-looks": looks, "choose-k": sizes, "choose-dependence": shares,
    "choose-effort": efforts, "choose-length": lengths, "choose-blocks": apart,
    "choose-promise": promises,
}  # fmt: skip
