"""In every format, a published file keeps its guarantees, or nothing is published."""

import datetime as dt
import decimal
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pyarrow import feather

import independent_readers
from example_counts import scaled_examples
from shoal.audit import manifest as manifests
from shoal.audit import verify
from shoal.audit.manifest_files import ManifestFiles
from shoal.errors import ShoalError, ShoalWarning
from shoal.io.dialect import Dialect
from shoal.io.formats._statistical import xport_missing_codes
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.deliver import deliver

K = 2
UTC = dt.timezone.utc  # noqa: UP017
TARGETS = ["csv", "tsv", "csv.gz", "fwf", "parquet", "feather", "xlsx", "dta", "sav", "zsav",
           "xpt", "db"]  # fmt: skip
LONG = [254, 255, 256, 2045, 2046, 32_767, 33_000]  # around what some format cuts
KINDS = {
    "text": (pa.string(), ["yes", "yes ", " yes", "", "no", None]),
    "float32": (pa.float32(), [0.1, 0.3, 16_777_216.0, None]),
    "microseconds": (
        pa.timestamp("us"),
        [dt.datetime(2020, 1, 1, 0, 0, 0, n) for n in (0, 1, 2, 1000)] + [None],
    ),
    "zone": (
        pa.timestamp("us", "Europe/Paris"),
        [dt.datetime(2020, 1, 1, hour, tzinfo=UTC) for hour in (1, 2)] + [None],
    ),
    "zero": (pa.float64(), [0.0, -0.0, 1.0, float("nan"), None]),
    "big": (pa.int64(), [2**53, 2**53 + 1, 2**60, 1, None]),
    "boolean": (pa.bool_(), [True, False, None]),
    "date": (pa.date32(), [dt.date(1850, 1, 1), dt.date(2020, 2, 29), None]),
    "whole": (pa.int64(), [1, 2, None]),
    "formula": (pa.string(), ["=1+1", "-5", "@x", "+a", "'=1+1", None]),
    "decimal": (pa.decimal128(5, 2), [decimal.Decimal("1.10"), decimal.Decimal("0.10"), None]),
    "time": (pa.time64("us"), [dt.time(1, 2, 3, 4), dt.time(1, 2, 3), None]),
    "duration": (pa.duration("us"), [1, 2, None]),
    "binary": (pa.binary(), [b"a", b"b", None]),
    "structure": (pa.struct([("a", pa.int64())]), [{"a": 1}, {"a": 2}]),
    "list": (pa.list_(pa.int64()), [[1], [1, 2], None]),
    "interval": (pa.month_day_nano_interval(), [(1, 2, 3), (1, 0, 3)]),
}


def plan_of(columns, partitioner, **options):
    """Return a plan that releases columns without a role."""
    return Plan.of(columns, partitioner, other_columns="release", **options)


@st.composite
def columns(draw, n):
    """Return a column of values that some format cannot tell apart, or not hold at all."""
    kind = draw(st.sampled_from([*KINDS, "long", "categories"]))
    if kind == "long":
        text = "a" * draw(st.sampled_from(LONG))
        arrow_type, values = pa.string(), [text, text + "b", text + " ", None]
    elif kind == "categories":
        positions = draw(st.lists(st.sampled_from([0, 1, 3, None]), min_size=n, max_size=n))
        names = pa.array(["x", "y", "unused", "y "])
        ordered = draw(st.booleans())
        return pa.DictionaryArray.from_arrays(
            pa.array(positions, pa.int8()), names, ordered=ordered
        )
    else:
        arrow_type, values = KINDS[kind]
    cells = draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
    return pa.array(cells, arrow_type)


@st.composite
def nasty_tables(draw):
    """Return a table with an identifier, strata, a masked, a confidential and another column."""
    n = draw(st.integers(4, 14))
    masked = draw(st.lists(st.integers(0, 8), min_size=n, max_size=n))
    named = {name: draw(columns(n)) for name in ("stratum", "secret", "other")}
    return pa.table({"name": [f"p{i}" for i in range(n)], "x": np.array(masked) / 3, **named})


options = st.fixed_dictionaries(
    {"small_strata": st.sampled_from(["merge", "refuse"])},
    optional={"diversity": st.just(2), "shuffle": st.just(True)},
)


def published(source, target, plan, layout=None):
    """Deliver with a manifest; return the release as others read it, or None where refused."""
    address = f"sqlite:///{target}" if target.suffix == ".db" else str(target)
    table = "release" if target.suffix == ".db" else None
    dialect, manifest = Dialect(layout=layout), target.with_name("manifest.json")
    record = ManifestFiles(manifest, signing_key=None, hash_key=None)

    def write_manifest(delivery):
        locations = {"source": (str(source), None), "target": (address, table)}
        return manifests.dumps(
            manifests.of_delivery(delivery, dialect, **locations, hash_key=record.hash_key)
        )

    documents = record.documents(write_manifest)
    before = set(target.parent.iterdir())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            deliver(plan, source, address, dialect=dialect, target_table=table, documents=documents,
                    secret=record.secret_files, fingerprints=True)  # fmt: skip
    except ShoalError:
        assert set(target.parent.iterdir()) == before, "something was left"
        return None
    checks = verify(address, manifest, original=source, table=table, layout=layout)
    assert [check for check in checks if check.passed is False] == []
    return independent_readers.read_file(target, layout)


def check_counted(release, quasi_identifiers, chosen):
    assert independent_readers.smallest_class(release, quasi_identifiers) >= K
    if "diversity" in chosen:
        assert (
            independent_readers.fewest_values(release, quasi_identifiers, "secret")
            >= chosen["diversity"]
        )


@pytest.mark.parametrize("ending", TARGETS)
@settings(
    max_examples=scaled_examples(12),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(table=nasty_tables(), chosen=options)
def test_a_published_file_keeps_its_guarantee(tmp_path_factory, ending, table, chosen):
    folder = tmp_path_factory.mktemp("run")
    source, layout = folder / "in.feather", None
    feather.write_feather(table, source)
    if ending == "fwf":
        layout = folder / "map.toml"
        layout.write_text(column_map(table))
    plan = plan_of(["x"], MDAV(k=K), identifiers=["name"], confidential=["secret"],
                   within="stratum", **chosen)  # fmt: skip
    release = published(source, folder / f"out.{ending}", plan, layout)
    assume(release is not None)
    if "name" in release:  # a fixed-width file keeps its place
        assert set(release.pop("name")) == {""}
    assert set(release) == {"x", "stratum", "secret", "other"}
    if ending != "xlsx":  # pandas does not count records without any value
        assert len(release) == table.num_rows
    check_counted(release, ["stratum", "x"], chosen)


def column_map(table):
    width, lines = 60, []
    for i, name in enumerate(reversed(table.column_names)):
        lines.append(f'[[columns]]\nname = "{name}"\nstart = {1 + i * width}\nwidth = {width}')
        lines += ['type = "number"'] if name == "x" else []
    return "\n".join(lines)


@st.composite
def coded_tables(draw):
    """Return columns of which missing values carry codes, by the family of the file."""
    n = draw(st.integers(4, 14))
    family = draw(st.sampled_from(["sav", "dta", "xpt"]))
    codes = {"sav": [-8.0, -9.0], "dta": ["a", "b"], "xpt": ["A", "B"]}[family]
    cells = st.lists(st.sampled_from([1.0, 2.0, None, *codes]), min_size=n, max_size=n)
    masked = draw(st.lists(st.integers(0, 8), min_size=n, max_size=n))
    return family, [float(x) for x in masked], draw(cells), draw(cells)


def write_coded(path, family, masked, stratum, secret):
    frame = pd.DataFrame({"x": masked, "stratum": stratum, "secret": secret}, dtype=object)
    frame["x"] = frame["x"].astype(float)
    if family == "sav":
        declared = {"stratum": [-8, -9], "secret": [-8, -9]}
        pyreadstat.write_sav(frame.astype(float), path, missing_ranges=declared)
    elif family == "dta":
        declared = {"stratum": ["a", "b"], "secret": ["a", "b"]}
        pyreadstat.write_dta(frame, path, missing_user_values=declared)
    else:
        coded = {1: stratum, 2: secret}
        letters = {
            number: [cell if isinstance(cell, str) else None for cell in coded[number]]
            for number in coded
        }
        plain = frame.map(lambda cell: np.nan if isinstance(cell, str) or cell is None else cell)
        pyreadstat.write_xport(plain.astype(float), path, file_format_version=5)
        xport_missing_codes.write_letters(path, len(frame), letters)


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "xpt", "csv", "parquet"])
@settings(
    max_examples=scaled_examples(12),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(coded=coded_tables(), chosen=options)
def test_missing_codes_that_are_released_apart_are_counted_apart(
    tmp_path_factory, ending, coded, chosen
):
    folder = tmp_path_factory.mktemp("run")
    source = folder / f"in.{coded[0]}"
    write_coded(source, *coded)
    plan = plan_of(["x"], MDAV(k=K), confidential=["secret"], within="stratum", **chosen)
    release = published(source, folder / f"out.{ending}", plan)
    assume(release is not None)
    check_counted(release, ["stratum", "x"], chosen)


@pytest.mark.parametrize("family", ["sav", "dta", "xpt"])
def test_merged_strata_keep_their_missing_codes(tmp_path, family):
    codes = {"sav": [-8.0, -9.0], "dta": ["a", "b"], "xpt": ["A", "B"]}[family]
    stratum = [1.0] * 4 + [codes[0]] * 3 + [codes[1]]
    write_coded(tmp_path / f"in.{family}", family, [1.0, 1.0, 2.0, 2.0, 9.0, 9.0, 9.0, 9.0],
                stratum, [1.0, 2.0] * 4)  # fmt: skip
    plan = plan_of(["x"], MDAV(k=K), confidential=["secret"], within="stratum",
                   small_strata="merge")  # fmt: skip
    release = published(tmp_path / f"in.{family}", tmp_path / f"out.{family}", plan)
    assert sorted(map(str, release["stratum"])) == sorted(map(str, [1.0] * 4 + [codes[0]] * 4))


def test_the_readers_of_the_tests_share_no_code_with_shoal():
    assert "shoal" not in Path(independent_readers.__file__).read_text().replace("Shoal", "")


def test_values_equal_in_the_file_make_a_class_homogeneous(tmp_path):
    table = pa.table({"x": [1.0, 1, 2, 2], "secret": ["yes", "yes ", "yes", "no"]})
    feather.write_feather(table, tmp_path / "in.feather")
    plan = plan_of(["x"], MDAV(k=2), confidential=["secret"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        codes = {
            ending: deliver(plan, tmp_path / "in.feather", tmp_path / f"out.{ending}")
            .release.verdict.codes()
            for ending in ("parquet", "xpt")
        }  # fmt: skip
    assert "homogeneous-group" not in codes["parquet"]
    assert "homogeneous-group" in codes["xpt"]
