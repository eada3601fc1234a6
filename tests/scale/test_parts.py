"""Exact sums, keys, cuts and the layout of blocks: what the results of workers rest on."""

import shutil
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from raising import raises
from shoal import Plan
from shoal._signals import defer_interrupt
from shoal.errors import ColumnError, FileError, GuaranteeBroken, InputError, ScratchFilesLeft
from shoal.partitioners import MDAV
from shoal.scale.book import open_book
from shoal.scale.exact import UNIT, exact_squares, exact_sum
from shoal.scale.folder import MARKER, Folder
from shoal.scale.job import Strata
from shoal.scale.keys import chosen, content_keys, told_apart
from shoal.scale.layout import blocks_of, cut_strata, open_strata, units_of
from shoal.scale.pieces import batches, check_sortable, cut_pieces, read_footer, sorted_by
from shoal.scale.release import check_promise
from shoal.scale.slices import read_slices, write_slices
from shoal.scale.tally import Moments, Wanted, _tally, merged
from shoal.scale.tree import grow
from tables import tables

floats = st.floats(-1e150, 1e150, allow_subnormal=True)
columns = arrays(np.float64, st.integers(0, 30), elements=floats)


@given(values=columns)
def test_a_sum_is_exact(values):
    assert exact_sum(values) * UNIT == sum(map(Fraction, values.tolist()), Fraction(0))


@given(values=arrays(np.float64, st.integers(0, 30), elements=st.floats(-1e140, 1e140)))
def test_a_sum_of_squares_is_exact(values):
    values = values[(np.abs(values) > 1e-130) | (values == 0)]
    assert exact_squares(values) * UNIT == sum(
        (Fraction(x) ** 2 for x in values.tolist()), Fraction(0)
    )


@given(values=columns, cut=st.integers(0, 30))
def test_moments_of_two_parts_are_those_of_the_whole(values, cut):
    assert Moments.of(values[:cut]) + Moments.of(values[cut:]) == Moments.of(values)


@pytest.mark.parametrize("far", [0.0, 1e9, 1e15])
def test_the_deviation_is_right_however_far_off_the_values_are(far):
    values = far + np.arange(10.0)
    moments = Moments.of(np.append(values, np.nan))
    assert moments.mean == far + 4.5
    assert moments.deviation == pytest.approx(np.arange(10.0).std(), rel=1e-15)
    assert moments.holes == 1


def test_a_constant_column_has_no_deviation():
    assert Moments.of(np.full(7, 0.1)).deviation == 0


def records(rng, n):
    return pa.table(
        {
            "x": pa.array(rng.integers(0, 3, n).astype(float)),
            "w": pa.array(rng.choice(["a", "b", None], n).tolist()),
        }
    )


def test_equal_records_have_equal_keys_and_others_hardly_ever():
    table = records(np.random.default_rng(0), 400)
    keys = content_keys(table, ["x", "w"])
    rows = list(zip(*table.to_pydict().values(), strict=True))
    assert (
        len({*zip(rows, keys.tolist(), strict=True)}) == len(set(rows)) == len(set(keys.tolist()))
    )


def test_a_key_depends_on_the_value_not_on_its_type():
    ints, reals = (
        pa.table({"x": pa.array([0, 7, -3], kind)}) for kind in (pa.int8(), pa.float64())
    )
    assert np.array_equal(content_keys(ints, ["x"]), content_keys(reals, ["x"]))
    assert not np.array_equal(content_keys(ints, ["x"], 1), content_keys(ints, ["x"], 2))


def test_a_sample_has_about_the_share_that_was_asked_for():
    keys = content_keys(pa.table({"x": np.random.default_rng(0).normal(size=20_000)}), ["x"])
    assert 900 < chosen(keys, 0.05).sum() < 1100
    assert chosen(keys, 1.0).all()


@given(X=tables(least=1), most=st.integers(1, 12))
def test_every_record_falls_into_the_leaf_its_sample_fell_into(X, most):
    tree = grow(X, most)
    leaves = tree.leaves(X)
    assert set(leaves) == set(range(tree.n_leaves))
    for leaf in range(tree.n_leaves):
        inside = X[leaves == leaf]
        assert len(inside) <= most or (inside == inside[0]).all()
    assert np.array_equal(np.concatenate([tree.leaves(row[None]) for row in X]), leaves)


@given(X=tables(least=1), most=st.integers(1, 12), seed=st.integers(0, 9))
def test_leaves_hold_no_more_than_asked_by_their_weights(X, most, seed):
    weights = np.random.default_rng(seed).integers(1, 5, len(X)).astype(float)
    tree = grow(X, most, weights)
    leaves = tree.leaves(X)
    for leaf in range(tree.n_leaves):
        inside = X[leaves == leaf]
        assert weights[leaves == leaf].sum() <= most or (inside == inside[0]).all()


def test_cuts_are_at_the_median_of_the_weights():
    line = np.arange(64.0)[:, None]
    assert grow(line, 8).n_leaves == 8
    heavy = np.append(63.0, np.ones(63))
    assert grow(line, 63, heavy).leaves(line).tolist() == [0, *[1] * 63]


def ages(rng, n):
    return {"age": rng.integers(18, 90, n), "sex": rng.integers(0, 2, n)}


def incomes(rng, n):
    return {
        name: np.where(rng.random(n) < 0.7, 0.0, rng.lognormal(size=n)) for name in ("wage", "rent")
    }


def tallied(table, share=0.05, seed=0):
    wanted = Wanted(table.column_names, [], [], [], share, seed)
    return _tally(table, wanted)


@pytest.mark.parametrize("make", [ages, incomes])
@pytest.mark.parametrize("seed", range(3))
def test_no_cell_is_much_too_large_where_few_records_differ_or_many_are_zero(make, seed):
    table = pa.table(make(np.random.default_rng(seed), 120_000))
    tally = tallied(table, seed=seed)
    assert len(tally.sample.keys) <= 6_000
    book = open_book(tally, table.column_names, [], {}, 0.0, "zscore")
    strata = cut_strata(tally, book, *open_strata(tally, []), 4_000)
    cells = strata.cells(table, book.space(table, book.read(table)))
    heaps = table.group_by(table.column_names).aggregate([([], "count_all")]).column("count_all")
    heap = max(heaps.to_pylist())
    sizes = np.sort(np.bincount(cells))
    if heap > 4_000:  # the heap of zeros cannot be cut
        assert sizes[-1] < heap + 4_000
        sizes = sizes[:-1]
    assert sizes[-1] < 8_000


def test_a_sample_depends_on_the_records_alone(monkeypatch):
    monkeypatch.setattr("shoal.scale.sample.FEWEST", 30)
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.integers(0, 200, 2000), "y": rng.integers(0, 3, 2000)})
    whole = tallied(table).sample
    shuffled = table.take(rng.permutation(2000))
    for cuts in ([0, 2000], [0, 7, 900, 2000], [0, 1999, 2000]):
        parts = [shuffled.slice(a, b - a) for a, b in pairwise(cuts)]
        found = merged(tallied(part) for part in parts).sample
        assert found.table.equals(whole.table)
        assert np.array_equal(found.counts, whole.counts)
    rows = Counter(zip(*table.to_pydict().values(), strict=True))
    kept = list(zip(*whole.table.to_pydict().values(), strict=True))
    assert [rows[row] for row in kept] == whole.counts.tolist()
    assert len(kept) >= 30


def test_equal_records_are_drawn_one_by_one():
    keys = content_keys(pa.table({"x": np.zeros(20_000)}), ["x"])
    assert keys[0] > 0
    assert 900 < chosen(told_apart(keys), 0.05).sum() < 1100
    assert told_apart(keys)[0] == keys[0]
    assert not len(told_apart(keys[:0]))


def strata_of(*leaves):
    trees = [grow(np.arange(float(n))[:, None], 1) for n in leaves]
    return Strata(["s"], [], np.arange(len(leaves)), trees)


@given(
    counts=st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=6), min_size=1, max_size=4),
    k=st.integers(1, 9),
    most=st.integers(8, 60),
)
def test_no_unit_is_below_k_or_crosses_a_stratum(counts, k, most):
    counts = [part for part in counts if sum(part) >= k] or [[k]]
    strata = strata_of(*map(len, counts))
    size = dict(enumerate(sum(counts, [])))
    units = units_of(strata.of_each, size, k, most)
    assert [cell for unit in units for cell in unit] == list(size)
    for unit in units:
        assert sum(size[cell] for cell in unit) >= k
        assert len(set(np.searchsorted(strata.starts, unit, side="right"))) == 1
    blocks = blocks_of(units, size, most)
    assert [unit for block in blocks for unit in block] == units
    for block in blocks:
        assert len(block) == 1 or sum(size[c] for unit in block for c in unit) <= most


@given(number=st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_slices_give_back_the_records_of_each_number(number, tmp_path_factory):
    folder = tmp_path_factory.mktemp("slices")
    table = pa.table({"at": np.arange(len(number)), "text": [str(x) for x in number]})
    slices = write_slices(folder / "one.arrow", table, np.array(number))
    assert sum(slices.records.values()) == len(number)
    for wanted in set(number):
        found = read_slices([slices], [wanted]).column("at").to_pylist()
        assert found == [at for at, one in enumerate(number) if one == wanted]
    assert [path.name for path in folder.iterdir()] == ["one.arrow"]


def test_records_are_sorted_by_all_that_they_hold():
    table = records(np.random.default_rng(1), 60)
    shuffled = table.take(np.random.default_rng(2).permutation(60))
    assert sorted_by(table, ["w"]).equals(sorted_by(shuffled, ["w"]))


def test_what_has_no_order_is_refused_by_name():
    with pytest.raises(ColumnError, match="'tags' holds list"):
        check_sortable(pa.schema([("x", pa.int64()), ("tags", pa.list_(pa.int64()))]))
    inside = pa.struct([("a", pa.int64()), ("b", pa.list_(pa.int64()))])
    with pytest.raises(ColumnError, match="'both' holds struct"):
        check_sortable(pa.schema([("both", inside)]))
    check_sortable(pa.schema([("one", pa.struct([("a", pa.int64())]))]))


def write(path, n=10, row_group_size=4, **more):
    pq.write_table(
        pa.table({"x": np.arange(float(n)), **more}), path, row_group_size=row_group_size
    )
    return str(path)


def test_pieces_hold_all_row_groups_once(tmp_path):
    paths = [write(tmp_path / "a.parquet"), write(tmp_path / "b.parquet", 3)]
    pieces = cut_pieces(paths, [read_footer(path) for path in paths], 5)
    assert [(p.row_groups, p.records) for p in pieces] == [((0, 1), 8), ((2,), 2), ((0,), 3)]
    found = [pa.concat_tables(batches(p, ["x"], [], 3)).column("x").to_pylist() for p in pieces]
    assert sum(found, []) == [*map(float, range(10)), 0.0, 1.0, 2.0]


def test_files_of_one_table_have_the_same_columns(tmp_path):
    paths = [write(tmp_path / "a.parquet"), write(tmp_path / "b.parquet", y=np.arange(10))]
    with pytest.raises(FileError, match=r"'b.parquet' and 'a.parquet' differ in column 'y'"):
        cut_pieces(paths, [read_footer(path) for path in paths], 5)


def test_a_table_without_records_is_refused(tmp_path):
    path = write(tmp_path / "a.parquet", 0)
    with pytest.raises(InputError, match="no records"):
        cut_pieces([path], [read_footer(path)], 5)


MARK = '{"promise": {"k": 3}, "files": [{"name": "part-00000.parquet"}]}'


def release_in(folder):
    (folder.path("release") / "part-00000.parquet").touch()
    (folder.path("release") / MARKER).write_text(MARK)
    folder.publish(["part-00000.parquet"])


def test_what_a_worker_left_half_written_is_not_published(tmp_path):
    with Folder(tmp_path / "out") as folder:
        (folder.path("release") / ".part-00001.parquet.0").touch()
        release_in(folder)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {MARKER, "part-00000.parquet"}


@pytest.mark.parametrize("force", [False, True])
def test_what_came_to_lie_at_the_target_meanwhile_is_not_destroyed(force, tmp_path):
    said = "no release of Shoal" if force else "exists already"
    with Folder(tmp_path / "out", force=force) as folder:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "thesis.txt").touch()
        with pytest.raises(FileError, match=said):
            release_in(folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "thesis.txt"]


def test_a_source_is_known_by_any_of_its_names(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "in")
    path = write(tmp_path / "in" / "part-00000.parquet")
    (tmp_path / "in" / MARKER).write_text(MARK)
    for target, source in (("link", path), ("in", str(tmp_path / "link" / "part-00000.parquet"))):
        with (
            Folder(tmp_path / target, force=True) as folder,
            pytest.raises(FileError, match="holds the source"),
        ):
            folder.check_sources([source])


def test_a_folder_appears_whole(tmp_path):
    with Folder(tmp_path / "out") as folder:
        assert not (tmp_path / "out").exists()
        release_in(folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        MARKER,
        "out",
        "part-00000.parquet",
    ]


def test_a_failure_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), Folder(tmp_path / "out"):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("at", range(4))
def test_an_interrupt_between_two_renames_waits(at, tmp_path, monkeypatch):
    with Folder(tmp_path / "out") as folder:
        release_in(folder)
    rename, done = Path.rename, []

    def interrupted(path, target):
        if len(done) == at:
            signal.raise_signal(signal.SIGINT)
        done.append(path)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), Folder(tmp_path / "out", force=True) as folder:
        release_in(folder)
    # The old release or the new one, whole.
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {MARKER, "part-00000.parquet"} <= names
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_does_not_keep_scratch_files(tmp_path, monkeypatch):
    remove = shutil.rmtree

    def interrupted(*words, **options):
        signal.raise_signal(signal.SIGINT)
        remove(*words, **options)

    with Folder(tmp_path / "out") as folder:
        release_in(folder)
        monkeypatch.setattr(shutil, "rmtree", interrupted)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_thread_hears_no_interrupts_and_needs_no_wait(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: defer_interrupt().__enter__()).result() is None


@pytest.mark.parametrize("act", [release_in, lambda folder: 1 / 0])
def test_scratch_that_cannot_be_removed_is_told_with_its_path(act, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "rmtree", lambda *words, **options: None)
    said = r"'/.*/\.out\..*\.part' could not be removed"
    with (
        pytest.warns(ScratchFilesLeft, match=said),
        suppress(ZeroDivisionError),
        Folder(tmp_path / "out") as folder,
    ):
        act(folder)


def test_only_a_release_is_replaced_and_only_on_request(tmp_path):
    with Folder(tmp_path / "out") as folder:
        release_in(folder)
    with raises(FileError, "file-exists"), Folder(tmp_path / "out"):
        pass
    (tmp_path / "out" / "part-00000.parquet").write_text("old")
    with Folder(tmp_path / "out", force=True) as folder:
        release_in(folder)
    assert not (tmp_path / "out" / "part-00000.parquet").read_text()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with (
        pytest.raises(FileError, match="no release of Shoal"),
        Folder(tmp_path / "mine", force=True),
    ):
        pass
    assert (tmp_path / "mine" / "thesis.txt").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "out"]


@pytest.mark.parametrize("mark", ["", "3", "{}", '{"files": [{"name": "a.parquet"}]}', "\xff"])
def test_what_another_program_marked_is_not_replaced(mark, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / MARKER).write_bytes(mark.encode("latin-1"))
    (tmp_path / "out" / "a.parquet").touch()
    with (
        pytest.raises(FileError, match="of another program"),
        Folder(tmp_path / "out", force=True),
    ):
        pass
    assert (tmp_path / "out" / "a.parquet").exists()


def test_what_somebody_put_into_a_release_is_not_lost_with_it(tmp_path):
    with Folder(tmp_path / "out") as folder:
        release_in(folder)
    (tmp_path / "out" / "notes.txt").touch()
    with pytest.raises(FileError, match=r"'notes.txt'"), Folder(tmp_path / "out", force=True):
        pass
    assert (tmp_path / "out" / "notes.txt").exists()


@pytest.mark.parametrize(
    ("smallest", "left", "said"), [(3, 10, "holds 3"), (4, 9, "9 would leave")]
)
def test_what_keeps_less_than_was_promised_does_not_leave(smallest, left, said):
    with pytest.raises(GuaranteeBroken, match=said):
        check_promise(
            Plan.of(["x"], MDAV(k=4), other_columns="release"),
            {"smallest_class": smallest},
            10,
            left,
        )
    check_promise(Plan.of(["x"], MDAV(k=4), other_columns="release"), {"smallest_class": 4}, 10, 10)
