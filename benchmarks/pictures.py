"""The pictures of docs/speed.md and docs/large-tables.md, drawn from measurements and the index.

    python benchmarks/pictures.py                     all of them, into docs/pictures
    python benchmarks/speed.py --plot growth.svg      the last one alone

The same code gives the same bytes. Points are drawn as pixels, everything else as vectors.
"""

import sys

import numpy as np

import harness
from generators import table

FOLDER = harness.HERE.parent / "docs" / "pictures"
BLUE, RED, GREEN, PINK, YELLOW = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"
GREY, PALE = "#777777", "#dddddd"
SETTINGS = {
    "svg.hashsalt": "shoal", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.fontsize": 8, "axes.titlesize": 9, "grid.color": PALE, "grid.linewidth": 0.6,
}  # fmt: skip
NEAR, MANY_NEAR = 10, 100  # numbers of neighbours to search for
N_REMOVED = 150  # records farther out than the query, as if they had been removed


def canvas(across, width=4.2, height=3.9):
    """Return an empty picture and its axes."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams.update(SETTINGS)
    picture = Figure(figsize=(width * across, height), layout="constrained")
    return picture, np.atleast_1d(picture.subplots(1, across))


def keep(picture, path):
    """Write a picture, reproducible to the byte."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)


class DrawnIndex:
    """An index of a table as plain arrays: a box and a shell for each block."""

    def __init__(self, X):
        from shoal._kernels.spatial.index import open_index

        index = open_index(X)
        frame = index.frame
        self.X, self.scale = X, frame.scale
        self.members = [r[:n] for r, n in zip(index.records, index.n_living, strict=True) if n]
        self.places = (X - frame.origin) @ frame.axes * frame.scale
        self.low, self.high = (
            np.moveaxis(faces, 1, 2).reshape(-1, faces.shape[1])[: len(self.members)]
            for faces in (index.boxes.low, index.boxes.high)
        )

    def bounds(self, q):
        """Return the least possible distance to each block, from box and shell."""
        gap = np.maximum(0, np.maximum(self.low[:, 1:-1] - q, q - self.high[:, 1:-1]))
        radius = np.sqrt(q @ q)
        shell = np.maximum(0, np.maximum(self.low[:, -1] - radius, radius - self.high[:, -1]))
        return np.maximum(np.sqrt((gap**2).sum(axis=1)), shell)

    def search(self, q, k):
        """Yield number, bound and k-th nearest so far of each block, the least bound first."""
        best = np.full(k, np.inf)
        bound = self.bounds(q)
        for b in np.argsort(bound):
            yield b, bound[b], best[-1]
            distances = np.sqrt(((self.places[self.members[b]] - q) ** 2).sum(axis=1))
            best = np.sort(np.concatenate([best, distances]))[:k]


def draw_block(axis, drawn, b, **look):
    """Draw the part of the box of a block that lies within its shell."""
    from matplotlib.patches import Annulus, Rectangle

    (left, bottom), (right, top) = drawn.low[b, 1:3], drawn.high[b, 1:3]
    inner, outer = drawn.low[b, -1], drawn.high[b, -1]
    ring = Annulus((0, 0), outer, max(outer - inner, 1e-4), **look)
    axis.add_patch(ring)
    box = Rectangle((left, bottom), right - left, top - bottom, transform=axis.transData)
    ring.set_clip_path(box)


def blocks(path):
    """Draw how an index divides a table, and which blocks one search reads."""
    rng = np.random.default_rng(4)
    clump = 0.25 * rng.normal(size=(696, 2)) + [2.2, 1.2]
    drawn = DrawnIndex(np.vstack([rng.normal(size=(3400, 2)), clump]))
    outwards = np.argsort((drawn.places**2).sum(axis=1))
    far = next(r for r in outwards[-N_REMOVED:] if drawn.places[r, 0] > 2 * abs(drawn.places[r, 1]))
    picture, (left, right) = canvas(2)
    tints = [BLUE, RED, GREEN, PINK, YELLOW]
    tint_of = np.empty(len(drawn.X), object)
    for b, members in enumerate(drawn.members):
        tint_of[members] = tints[b % 5]
        draw_block(left, drawn, b, facecolor=tints[b % 5], alpha=0.25, lw=0)
    left.scatter(*drawn.places.T, s=2, c=list(tint_of), lw=0, rasterized=True)
    q = drawn.places[far]
    blocks_read = [b for b, bound, best in drawn.search(q, NEAR) if bound <= best]
    for b in range(len(drawn.members)):
        tint = YELLOW if b in blocks_read else PALE
        draw_block(right, drawn, b, facecolor=tint, alpha=0.6, lw=0)
    distance = np.sqrt(((drawn.places - q) ** 2).sum(axis=1))
    nearest = np.argsort(distance, kind="stable")[:NEAR]
    right.scatter(*drawn.places.T, s=2, c=GREY, lw=0, rasterized=True)
    right.scatter(*drawn.places[nearest].T, s=14, c=RED, lw=0, zorder=3)
    right.scatter(*q, s=30, c="black", marker="x", lw=1.2, zorder=4)
    many = len(drawn.members)
    left.set_title(f"{len(drawn.X):,} records in {many} blocks: boxes, cut by shells")
    right.set_title(
        f"the {NEAR} nearest (red) to one (x): {len(blocks_read)} of {many} blocks looked at"
    )
    for axis in (left, right):
        axis.plot(0, 0, "+", c="black", ms=7)
        low, high = drawn.places.min(axis=0) - 0.02, drawn.places.max(axis=0) + 0.02
        axis.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        axis.axis("off")
    keep(picture, path)


def search_progress(path):
    """Draw one search: the bounds of the blocks and the distance of the k-th nearest so far."""
    picture, axes = canvas(3, width=3.2, height=3.3)
    for axis, kind in zip(axes, ("clustered", "heavy-tailed", "gaussian"), strict=True):
        drawn = DrawnIndex(table(kind, 20_000, 13))
        order = np.argsort((drawn.places**2).sum(axis=1))
        q = drawn.places[order[-200]]
        _, bound, best = np.array(list(drawn.search(q, NEAR))).T
        stop = int(np.argmax(bound > best))
        unit = best[-1]
        axis.axvspan(0, stop, color=YELLOW, alpha=0.25, lw=0)
        axis.plot(bound / unit, c=BLUE, label="least distance the next block allows")
        axis.plot(best / unit, c=RED, label=f"{NEAR}th nearest found so far")
        axis.set(title=f"{kind}: {stop} of {len(bound)} blocks", xlabel="blocks, by promise",
                 xlim=(0, len(bound)), ylim=(0, 3.5))  # fmt: skip
    axes[0].set_ylabel("distance / that of the 10th nearest")
    picture.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    keep(picture, path)


def precision(path):
    """Draw distances in single against double precision, near the one that decides."""
    from shoal._kernels.spatial.score_bounds import required_score

    rng = np.random.default_rng(7)
    p, q = 13, rng.normal(size=13)
    away = rng.normal(size=(900, p))
    length = 1 + rng.uniform(-1e-6, 7e-6, size=(900, 1))
    X = q + length * away / np.sqrt((away**2).sum(axis=1, keepdims=True))
    scale = 2.0**-3
    squares = ((X - q) ** 2).sum(axis=1)
    stored, asked = (X * scale).astype(np.float32), (q * scale).astype(np.float32)
    single = np.zeros(len(X), np.float32)
    for j in range(p):
        single += (stored[:, j] - asked[j]) ** 2
    kth = np.sort(squares)[MANY_NEAR - 1]
    reach = float(np.sqrt((q * q).sum()) * scale)
    margin = 1e6 * (-float(required_score(kth, -1.0, scale, reach, p)) / scale**2 - kth)
    distance_beyond = 1e6 * (squares - kth)
    error = 1e6 * (single.astype(float) / scale**2 - squares)
    out = distance_beyond + error > margin
    picture, (axis,) = canvas(1, width=7, height=3.2)
    for name, chosen, tint in (
        ("found", squares <= kth, RED),
        ("measured in double precision, and not found", ~out & (squares > kth), YELLOW),
        ("ruled out unread", out, GREY),
    ):
        axis.scatter(
            distance_beyond[chosen], error[chosen], s=7, c=tint, lw=0,
            label=f"{name}: {chosen.sum()}", rasterized=True,
        )  # fmt: skip
    axis.axvline(0, c=RED, lw=0.8)
    axis.plot([margin + 1, margin - 1], [-1, 1], c=BLUE, lw=1)
    axis.text(margin / 2, 0.83, "the margin", color=BLUE, ha="center")
    axis.annotate(
        "", (margin - 0.8, 0.76), (0, 0.76), arrowprops={"arrowstyle": "<->", "color": BLUE}
    )
    axis.set(xlabel="squared distance beyond that of the last one found, in millionths",
             ylabel="error of single precision", xlim=(-2.5, 14), ylim=(-1, 1))  # fmt: skip
    picture.legend(loc="outside lower center", ncols=3)
    keep(picture, path)


def growth(measurements, path):
    """Draw CPU time against the number of records, beside the baseline."""
    picture, axes = canvas(3, width=3.3, height=3.7)
    ks = {3: RED, 10: BLUE, 50: GREEN}
    for axis, kind in zip(axes, ("clustered", "heavy-tailed", "gaussian"), strict=True):
        for k, tint in ks.items():
            for name, style in (("shoal", "o-"), ("baseline", "x:")):
                rows = [e for e in measurements if (e["engine"], e["kind"]) == (name, kind)]
                rows = sorted((e["n"], e) for e in rows if (e["p"], e["k"]) == (13, k))
                n, entries = zip(*rows, strict=True) if rows else ((), ())
                seconds = [e["cpu_seconds"] for e in entries]
                label = f"k = {k}" + (", plain" if name == "baseline" else "")
                axis.plot(n, seconds, style, c=tint, ms=3.5, lw=1.2, label=label)
                if name == "shoal" and len(n) > 1 and n[-1] >= 1_000_000:
                    exponent = f"n^{entries[-1]['growth']:.2f}"
                    axis.annotate(exponent, (n[-1], seconds[-1]), (-4, 5), color=tint, ha="right",
                                  textcoords="offset points")  # fmt: skip
        axis.set(xscale="log", yscale="log", xlim=(700, 1.5e6), ylim=(3e-4, 400))
        axis.set(title=kind, xlabel="records")
        axis.grid(visible=True)
    axes[0].set_ylabel("CPU seconds, p = 13")
    picture.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    keep(picture, path)


def large(measurements, path=FOLDER / "large.svg"):
    """Draw CPU time and memory of large tables against the number of records."""
    picture, axes = canvas(2, width=3.6, height=3.4)
    dask = [e for e in measurements if e["engine"] == "dask"]
    for method, tint in (("auto", BLUE), ("mdav", RED)):
        rows = sorted((e["n"], e) for e in dask if e["method"] == method)
        n, entries = zip(*rows, strict=True) if rows else ((), ())
        axes[0].plot(n, [e["cpu_seconds"] for e in entries], "o-", c=tint, label=method)
        axes[1].plot(n, [e["megabytes"] for e in entries], "o-", c=tint, label=method)
    lengths = sorted({e["n"] for e in dask})
    tables = [13 * 8 * n / 2**20 for n in lengths]
    axes[1].plot(lengths, tables, ":", c=GREY, label="the table")
    axes[0].set(xscale="log", yscale="log", xlabel="records", ylabel="CPU seconds of all workers")
    axes[1].set(xscale="log", yscale="log", xlabel="records", ylabel="most MB of a worker")
    for axis in axes:
        axis.grid(visible=True)
        axis.legend()
    keep(picture, path)


def main():
    """Draw everything."""
    sys.path.insert(0, str(harness.SOURCE))
    blocks(FOLDER / "blocks.png")  # many curves: smaller as pixels
    search_progress(FOLDER / "looks.svg")
    precision(FOLDER / "precision.svg")
    growth(harness.load(harness.HERE / "results" / "speed.json"), FOLDER / "growth.svg")
    large(harness.load(harness.HERE / "results" / "large.json"))


if __name__ == "__main__":
    main()
