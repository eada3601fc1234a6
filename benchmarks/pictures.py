"""The pictures of docs/speed.md and docs/large-tables.md, drawn from measurements and the index.

    python benchmarks/pictures.py                     all of them, into docs/pictures
    python benchmarks/speed.py --plot growth.svg      only the last one

The same code gives the same bytes. Points are drawn as pixels, everything else as vectors.
"""

import sys

import numpy as np

import harness
from generators import table

FOLDER = harness.HERE.parent / "docs" / "pictures"
BLUE, RED, GREEN, PINK, YELLOW = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"
GREY, LIGHT_GREY = "#777777", "#dddddd"
SETTINGS = {
    "svg.hashsalt": "shoal", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.fontsize": 8, "axes.titlesize": 9, "grid.color": LIGHT_GREY, "grid.linewidth": 0.6,
}  # fmt: skip
N_NEIGHBOURS, N_PRECISION_NEIGHBOURS = 10, 100  # numbers of neighbours to search for
N_REMOVED = 150  # records farther out than the query, as if they had been removed


def new_figure(n_panels, width=4.2, height=3.9):
    """Return an empty figure with a row of panels, and the axes of the panels."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams.update(SETTINGS)
    figure = Figure(figsize=(width * n_panels, height), layout="constrained")
    return figure, np.atleast_1d(figure.subplots(1, n_panels))


def save_figure(figure, path):
    """Write a figure; the same figure always gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)


class DrawnIndex:
    """An index of a table as plain arrays: a box and a shell for each block."""

    def __init__(self, X):
        from shoal._kernels.spatial.index import open_index

        index = open_index(X)
        frame = index.frame
        self.X, self.scale = X, frame.scale
        self.records_of_block = [
            records[:n_remaining]
            for records, n_remaining in zip(index.records, index.n_remaining, strict=True)
            if n_remaining
        ]
        self.positions = (X - frame.origin) @ frame.axes * frame.scale
        self.low, self.high = (
            np.moveaxis(faces, 1, 2).reshape(-1, faces.shape[1])[: len(self.records_of_block)]
            for faces in (index.boxes.low, index.boxes.high)
        )

    def bounds(self, query):
        """Return the least possible distance to each block, from box and shell."""
        gaps = np.maximum(0, np.maximum(self.low[:, 1:-1] - query, query - self.high[:, 1:-1]))
        radius = np.sqrt(query @ query)
        shell = np.maximum(0, np.maximum(self.low[:, -1] - radius, radius - self.high[:, -1]))
        return np.maximum(np.sqrt((gaps**2).sum(axis=1)), shell)

    def search(self, query, k):
        """Yield number, bound and k-th nearest so far of each block, the least bound first."""
        nearest_distances = np.full(k, np.inf)
        bounds = self.bounds(query)
        for block in np.argsort(bounds):
            yield block, bounds[block], nearest_distances[-1]
            distances = np.sqrt(
                ((self.positions[self.records_of_block[block]] - query) ** 2).sum(axis=1)
            )
            nearest_distances = np.sort(np.concatenate([nearest_distances, distances]))[:k]


def draw_block(axis, index, block, **style):
    """Draw the part of a block's box that lies within its shell."""
    from matplotlib.patches import Annulus, Rectangle

    (left, bottom), (right, top) = index.low[block, 1:3], index.high[block, 1:3]
    inner, outer = index.low[block, -1], index.high[block, -1]
    ring = Annulus((0, 0), outer, max(outer - inner, 1e-4), **style)
    axis.add_patch(ring)
    box = Rectangle((left, bottom), right - left, top - bottom, transform=axis.transData)
    ring.set_clip_path(box)


def draw_blocks(path):
    """Draw how an index divides a table, and which blocks one search reads."""
    rng = np.random.default_rng(4)
    cluster = 0.25 * rng.normal(size=(696, 2)) + [2.2, 1.2]
    index = DrawnIndex(np.vstack([rng.normal(size=(3400, 2)), cluster]))
    records_outwards = np.argsort((index.positions**2).sum(axis=1))
    x, y = index.positions[records_outwards[-N_REMOVED:]].T
    query_record = records_outwards[-N_REMOVED:][np.argmax(x > 2 * np.abs(y))]
    figure, (left, right) = new_figure(2)
    colours = [BLUE, RED, GREEN, PINK, YELLOW]
    colour_of_record = np.empty(len(index.X), object)
    for block, members in enumerate(index.records_of_block):
        colour_of_record[members] = colours[block % 5]
        draw_block(left, index, block, facecolor=colours[block % 5], alpha=0.25, lw=0)
    left.scatter(*index.positions.T, s=2, c=list(colour_of_record), lw=0, rasterized=True)
    query = index.positions[query_record]
    blocks_read = [
        block for block, bound, best in index.search(query, N_NEIGHBOURS) if bound <= best
    ]
    for block in range(len(index.records_of_block)):
        colour = YELLOW if block in blocks_read else LIGHT_GREY
        draw_block(right, index, block, facecolor=colour, alpha=0.6, lw=0)
    distance = np.sqrt(((index.positions - query) ** 2).sum(axis=1))
    nearest = np.argsort(distance, kind="stable")[:N_NEIGHBOURS]
    right.scatter(*index.positions.T, s=2, c=GREY, lw=0, rasterized=True)
    right.scatter(*index.positions[nearest].T, s=14, c=RED, lw=0, zorder=3)
    right.scatter(*query, s=30, c="black", marker="x", lw=1.2, zorder=4)
    n_blocks = len(index.records_of_block)
    left.set_title(f"{len(index.X):,} records in {n_blocks} blocks: boxes, cut by shells")
    right.set_title(
        f"the {N_NEIGHBOURS} nearest (red) to one (x): {len(blocks_read)} of {n_blocks} blocks"
        " looked at"
    )
    for axis in (left, right):
        axis.plot(0, 0, "+", c="black", ms=7)
        low, high = index.positions.min(axis=0) - 0.02, index.positions.max(axis=0) + 0.02
        axis.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        axis.axis("off")
    save_figure(figure, path)


def draw_search_progress(path):
    """Draw one search: the bounds of the blocks and the distance of the k-th nearest so far."""
    figure, axes = new_figure(3, width=3.2, height=3.3)
    for axis, kind in zip(axes, ("clustered", "heavy-tailed", "gaussian"), strict=True):
        index = DrawnIndex(table(kind, 20_000, 13))
        order = np.argsort((index.positions**2).sum(axis=1))
        query = index.positions[order[-200]]
        _, bounds, kth_distances = np.array(list(index.search(query, N_NEIGHBOURS))).T
        stop = int(np.argmax(bounds > kth_distances))
        unit = kth_distances[-1]
        axis.axvspan(0, stop, color=YELLOW, alpha=0.25, lw=0)
        axis.plot(bounds / unit, c=BLUE, label="least distance the next block allows")
        axis.plot(kth_distances / unit, c=RED, label=f"{N_NEIGHBOURS}th nearest found so far")
        axis.set(title=f"{kind}: {stop} of {len(bounds)} blocks", xlabel="blocks, by bound",
                 xlim=(0, len(bounds)), ylim=(0, 3.5))  # fmt: skip
    axes[0].set_ylabel("distance / that of the 10th nearest")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    save_figure(figure, path)


def draw_precision(path):
    """Draw distances in single against double precision, near the one that decides."""
    from shoal._kernels.spatial.score_bounds import required_score

    rng = np.random.default_rng(7)
    p, q = 13, rng.normal(size=13)
    directions = rng.normal(size=(900, p))
    lengths = 1 + rng.uniform(-1e-6, 7e-6, size=(900, 1))
    X = q + lengths * directions / np.sqrt((directions**2).sum(axis=1, keepdims=True))
    scale = 2.0**-3
    squares = ((X - q) ** 2).sum(axis=1)
    single_X, single_q = (X * scale).astype(np.float32), (q * scale).astype(np.float32)
    single_squares = np.zeros(len(X), np.float32)
    for j in range(p):
        single_squares += (single_X[:, j] - single_q[j]) ** 2
    kth_square = np.sort(squares)[N_PRECISION_NEIGHBOURS - 1]
    reach = float(np.sqrt((q * q).sum()) * scale)
    margin = 1e6 * (
        -float(required_score(kth_square, -1.0, scale, reach, p)) / scale**2 - kth_square
    )
    distance_beyond = 1e6 * (squares - kth_square)
    error = 1e6 * (single_squares.astype(float) / scale**2 - squares)
    is_ruled_out = distance_beyond + error > margin
    figure, (axis,) = new_figure(1, width=7, height=3.2)
    for name, is_shown, colour in (
        ("found", squares <= kth_square, RED),
        (
            "measured in double precision, and not found",
            ~is_ruled_out & (squares > kth_square),
            YELLOW,
        ),
        ("ruled out unread", is_ruled_out, GREY),
    ):
        axis.scatter(
            distance_beyond[is_shown], error[is_shown], s=7, c=colour, lw=0,
            label=f"{name}: {is_shown.sum()}", rasterized=True,
        )  # fmt: skip
    axis.axvline(0, c=RED, lw=0.8)
    axis.plot([margin + 1, margin - 1], [-1, 1], c=BLUE, lw=1)
    axis.text(margin / 2, 0.83, "the margin", color=BLUE, ha="center")
    axis.annotate(
        "", (margin - 0.8, 0.76), (0, 0.76), arrowprops={"arrowstyle": "<->", "color": BLUE}
    )
    axis.set(xlabel="squared distance beyond that of the last one found, in millionths",
             ylabel="error of single precision", xlim=(-2.5, 14), ylim=(-1, 1))  # fmt: skip
    figure.legend(loc="outside lower center", ncols=3)
    save_figure(figure, path)


def draw_growth(measurements, path):
    """Draw CPU time against the number of records, beside the baseline."""
    figure, axes = new_figure(3, width=3.3, height=3.7)
    ks = {3: RED, 10: BLUE, 50: GREEN}
    for axis, kind in zip(axes, ("clustered", "heavy-tailed", "gaussian"), strict=True):
        for k, colour in ks.items():
            for name, style in (("shoal", "o-"), ("baseline", "x:")):
                rows = [
                    entry
                    for entry in measurements
                    if (entry["engine"], entry["kind"]) == (name, kind)
                ]
                rows = sorted(
                    (entry["n"], entry) for entry in rows if (entry["p"], entry["k"]) == (13, k)
                )
                n, entries = zip(*rows, strict=True) if rows else ((), ())
                seconds = [entry["cpu_seconds"] for entry in entries]
                label = f"k = {k}" + (", plain" if name == "baseline" else "")
                axis.plot(n, seconds, style, c=colour, ms=3.5, lw=1.2, label=label)
                if name == "shoal" and len(n) > 1 and n[-1] >= 1_000_000:
                    exponent = f"n^{entries[-1]['growth']:.2f}"
                    axis.annotate(exponent, (n[-1], seconds[-1]), (-4, 5), color=colour, ha="right",
                                  textcoords="offset points")  # fmt: skip
        axis.set(xscale="log", yscale="log", xlim=(700, 1.5e6), ylim=(3e-4, 400))
        axis.set(title=kind, xlabel="records")
        axis.grid(visible=True)
    axes[0].set_ylabel("CPU seconds, p = 13")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    save_figure(figure, path)


def draw_large_tables(measurements, path=FOLDER / "large.svg"):
    """Draw CPU time and memory of large tables against the number of records."""
    figure, axes = new_figure(2, width=3.6, height=3.4)
    dask = [entry for entry in measurements if entry["engine"] == "dask"]
    for method, colour in (("auto", BLUE), ("mdav", RED)):
        rows = sorted((entry["n"], entry) for entry in dask if entry["method"] == method)
        n, entries = zip(*rows, strict=True) if rows else ((), ())
        axes[0].plot(n, [entry["cpu_seconds"] for entry in entries], "o-", c=colour, label=method)
        axes[1].plot(n, [entry["megabytes"] for entry in entries], "o-", c=colour, label=method)
    lengths = sorted({entry["n"] for entry in dask})
    tables = [13 * 8 * n / 2**20 for n in lengths]
    axes[1].plot(lengths, tables, ":", c=GREY, label="the table")
    axes[0].set(xscale="log", yscale="log", xlabel="records", ylabel="CPU seconds of all workers")
    axes[1].set(xscale="log", yscale="log", xlabel="records", ylabel="most MB of a worker")
    for axis in axes:
        axis.grid(visible=True)
        axis.legend()
    save_figure(figure, path)


def main():
    """Draw everything."""
    sys.path.insert(0, str(harness.SOURCE))
    draw_blocks(FOLDER / "blocks.png")  # many curves: smaller as pixels
    draw_search_progress(FOLDER / "looks.svg")
    draw_precision(FOLDER / "precision.svg")
    draw_growth(harness.load(harness.HERE / "results" / "speed.json"), FOLDER / "growth.svg")
    draw_large_tables(harness.load(harness.HERE / "results" / "large.json"))


if __name__ == "__main__":
    main()
