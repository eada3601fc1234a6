"""Draw the figures of docs/understand from the built-in survey.

    python docs/figures.py            all of them, into docs/pictures
    python docs/figures.py units      one

The same code gives the same bytes: a test draws them again.
"""

import sys
import warnings
from io import BytesIO
from pathlib import Path

import numpy as np

import shoal
from shoal.comparison.tradeoff import knee, sweep
from shoal.errors import ShoalWarning

FOLDER = Path(__file__).parent / "pictures"
KNOWN = ["age", "height", "weight", "years_of_education", "household_size"]
PAID = ["income", "blood_pressure"]
SECRET = [*PAID, "smoker"]
BLUE, RED, GREEN, GREY, PALE = "#0072b2", "#d55e00", "#009e73", "#555555", "#dddddd"
SETTINGS = {
    "svg.hashsalt": "shoal", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.fontsize": 8, "axes.titlesize": 9, "axes.grid": True, "grid.color": PALE,
    "grid.linewidth": 0.6, "axes.axisbelow": True,
}  # fmt: skip
INK = "#111111"  # a colour that can be replaced, where the default is none
ON_ANY_GROUND = {
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK,
    "ytick.color": INK, "savefig.transparent": True,
}  # fmt: skip
THREAD = {"arrowstyle": "-", "color": GREY, "lw": 0.5}  # from a name to its point
SIZES = (2, 3, 5, 10, 20, 50)


def canvas(across=1, width=4.4, height=3.3):
    """Return an empty picture and its axes."""
    from matplotlib.figure import Figure

    picture = Figure(figsize=(width * across, height), layout="constrained")
    return picture, np.atleast_1d(picture.subplots(1, across))


def masked(columns=KNOWN, k=5, people=None, **options):
    """Return the survey and its release by MDAV, without the warnings that the chapters tell."""
    people = shoal.datasets.survey() if people is None else people
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return people, shoal.microaggregate(people, columns, k=k, method="mdav", **options)


def unique():
    """Show how many people are unique by what others know about them."""
    people, columns = shoal.datasets.survey(), ["region", "age", "years_of_education"]
    columns += ["household_size", "height", "weight"]
    shares = [
        100 * (~people.duplicated(columns[: at + 1], keep=False)).mean()
        for at in range(len(columns))
    ]
    picture, (axes,) = canvas(width=5.6, height=2.8)
    names = [columns[0], *(f"and {name}" for name in columns[1:])]
    bars = axes.barh(names[::-1], shares[::-1], color=BLUE)
    axes.bar_label(bars, [f"{share:.1f} %" for share in shares[::-1]], padding=3)
    axes.set(xlim=(0, 115), xlabel="unique records, in %")
    return picture


def threads(axis, before, after):
    """Join what a record was with what is released of it."""
    gap = np.full(len(before), np.nan)
    x, y = (np.column_stack([before[:, j], after[:, j], gap]).ravel() for j in (0, 1))
    axis.plot(x, y, "-", color=GREY, lw=0.5)


def groups():
    """Show groups of five in two columns, and the means that are released."""
    everybody, columns = shoal.datasets.survey(), ["age", "height"]
    islands = everybody[everybody["region"] == "islands"].reset_index(drop=True)
    _, release = masked(columns, people=islands)
    before, after = islands[columns].to_numpy(float), release.data[columns].to_numpy(float)
    picture, axes = canvas(2)
    axes[0].plot(*before.T, "o", color=BLUE, ms=4)
    threads(axes[1], before, after)
    axes[1].plot(*before.T, "o", color=BLUE, ms=3, label="a person")
    axes[1].plot(*after.T, "s", color=RED, ms=6, label="released value")
    axes[1].legend(loc="lower left")
    titles = "the people of the islands", "in groups of 5 or more"
    for axis, title in zip(axes, titles, strict=True):
        axis.set(title=title, xlabel="age", ylabel="height", ylim=(142, None))
    return picture


def units():
    """Show what groups look like when euros are taken for years."""
    picture, axes = canvas(2)
    columns, highest = ["age", "income"], 60_000  # few are above it, and would squeeze the scale
    for axis, way in zip(axes, ("none", "zscore"), strict=True):
        people, release = masked(columns, standardise=way)
        shown = (people["income"] < highest).to_numpy()
        before, after = (data[columns].to_numpy(float)[shown] for data in (people, release.data))
        threads(axis, before, after)
        axis.plot(*np.unique(after, axis=0).T, "s", color=RED, ms=2)
        lost = release.measures["variance_change"]["age"]
        axis.set(title=f'standardise="{way}": {100 * lost:.0f} % of the variance of age is lost')
        axis.set(xlabel="age", ylabel="income")
    return picture


def price():
    """Show what k costs and what it buys."""
    picture, axes = canvas(2)
    lost, linked = [], []
    for k in SIZES:
        people, release = masked(k=k)
        risk = shoal.assess(people, release.data, quasi_identifiers=KNOWN, measures=["linkage"])
        lost.append(release.measures["information_loss"])
        linked.append(100 * risk["linkage"])
    axes[0].plot(SIZES, lost, "o-", color=BLUE)
    axes[0].set(title="cost", ylabel="information loss, in %")
    axes[1].plot(SIZES, linked, "o-", color=RED, label="correct links")
    axes[1].plot(SIZES, [100 / k for k in SIZES], ":", color=GREY, label="1/k")
    axes[1].set(title="benefit", ylabel="records linked correctly, in %")
    axes[1].legend()
    for axis in axes:
        axis.set(xscale="log", xlabel="k")
        axis.set_xticks(SIZES, [str(k) for k in SIZES])
        axis.minorticks_off()
    return picture


def homogeneity():
    """Show the share of smokers in each group."""
    people, release = masked(confidential=SECRET)
    labels = release.labels
    share = np.bincount(labels, people["smoker"] == "yes") / np.bincount(labels)
    picture, (axes,) = canvas(width=5.6, height=2.8)
    _, _, bars = axes.hist(share, bins=np.linspace(0, 1, 21), color=BLUE)
    bars[0].set_facecolor(RED)
    note = f"{(share == 0).sum()} groups\nin which\nnobody smokes"
    axes.text(0.62, 0.95, note, color=RED, va="top", transform=axes.transAxes)
    axes.set(xlabel="share of smokers in a group", ylabel="groups")
    return picture


def blocks():
    """Show that records can be linked again if columns are masked separately."""
    picture, (axes,) = canvas(width=5.6)
    for size, aside in ((1, (-3, -40)), (2, (8, -3)), (3, (8, -3)), (None, (8, 5))):
        people, release = masked(blocks=size)
        risk = shoal.assess(people, release.data, quasi_identifiers=KNOWN, measures=["linkage"])
        spot = release.measures["information_loss"], 100 * risk["linkage"]
        axes.plot(*spot, "o", color=RED if size else BLUE)
        name = "all together" if size is None else f"{size} at a time"
        axes.annotate(name, spot, xytext=aside, textcoords="offset points", arrowprops=THREAD)
    axes.axhline(20, color=GREY, ls=":")
    axes.annotate("1/k", (0, 20), xytext=(0, 3), textcoords="offset points", color=GREY)
    axes.set(xlim=(0, 13), ylim=(0, 105), xlabel="information loss, in %")
    axes.set(ylabel="records linked correctly, in %")
    return picture


def closeness():
    """Show what closeness costs, by two ways to reach it."""
    picture, (axes,) = canvas(width=5.6)
    bounds = (0.3, 0.25, 0.2, 0.15, 0.1, 0.05)
    for way, colour in (("merge", GREY), ("swap", BLUE), ("first", RED)):
        lost = []
        for t in bounds:
            _, release = masked(confidential=["blood_pressure"], closeness=t, closeness_by=way)
            lost.append(release.measures["information_loss"])
        axes.plot(bounds, lost, "o-", color=colour, label=f'closeness_by="{way}"')
    axes.axhline(masked()[1].measures["information_loss"], color=GREY, ls=":")
    axes.set(xlabel="t: how far a group may be from the table", ylabel="information loss, in %")
    axes.set(xlim=(0.31, 0.04), ylim=(0, 105))
    axes.legend()
    return picture


def dependence():
    """Show what the masked columns lose and what the confidential ones win."""
    people = shoal.datasets.survey()
    picture, (axes,) = canvas(width=5.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        curve = sweep(people, KNOWN, ["blood_pressure"], k=[5])
    at = [point.dependence for point in curve]
    axes.plot(at, [point.distortion_x for point in curve], "o-", color=BLUE, label="$D_X$")
    axes.plot(at, [point.distortion_y for point in curve], "o-", color=RED, label="$D_Y$")
    best = knee(curve).dependence
    axes.axvline(best, color=GREY, ls=":")
    axes.annotate(f"knee: {best:g}", (best, 0.6), xytext=(4, 0), textcoords="offset points")
    axes.set(xlabel="dependence", ylabel="share of the variance", ylim=(0, None))
    axes.legend()
    return picture


def attacks():
    """Show how often attacks succeed, beside their baseline and their ceiling."""
    people = shoal.datasets.survey()
    inside, outside = people.iloc[:500], people.iloc[500:]
    _, release = masked(people=inside, identifiers=["person"], confidential=SECRET)
    result = shoal.attack(
        inside,
        release.data,
        quasi_identifiers=KNOWN,
        confidential=SECRET,
        control=outside,
        random_state=1,
    )
    picture, (axes,) = canvas(width=6.4, height=3.8)
    for at, attack in enumerate(reversed(result.results)):
        low, high = (100 * end for end in attack.interval)
        axes.plot([low, high], [at, at], color=BLUE, lw=2)
        axes.plot(100 * attack.rate, at, "o", color=BLUE, label="success, 95 % interval")
        axes.plot(100 * attack.baseline, at, "|", color=GREY, ms=10, label="baseline")
        if attack.ceiling is not None:
            axes.plot(100 * attack.ceiling, at, "<", color=RED, label="ceiling")
    names = [attack.name for attack in reversed(result.results)]
    axes.set_yticks(range(len(names)), names)
    axes.set(xlim=(-2, 102), xlabel="successful attacks, in %")
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    axes.legend(unique.values(), unique.keys(), loc="upper right")
    return picture


FIGURES = {
    "unique": unique, "groups": groups, "units": units, "price": price,
    "homogeneity": homogeneity, "blocks": blocks, "closeness": closeness, "dependence": dependence,
    "attacks": attacks,
}  # fmt: skip


def style(**others):
    """Return a context in which figures look like those of the guide."""
    from matplotlib import style

    return style.context(["default", SETTINGS | others])


def svg(picture):
    """Return a figure as SVG; the same figure gives the same bytes."""
    content = BytesIO()
    picture.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


def draw(name):
    """Return a figure by name as SVG."""
    with style():
        return svg(FIGURES[name]())


def main(names):
    """Write the figures into docs/pictures."""
    for name in names or FIGURES:
        (FOLDER / f"understand-{name}.svg").write_bytes(draw(name))


if __name__ == "__main__":
    main(sys.argv[1:])
