"""The verdict on a folder: what its blocks and files count is what pandas counts."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from clusters import people, write_files
from shoal import scale
from shoal.errors import NotKept, ShoalWarning
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.steps import Microaggregate

pytestmark = pytest.mark.filterwarnings(f"ignore::{ShoalWarning.__module__}.ShoalWarning")


@pytest.fixture(scope="module")
def table():
    columns = people(900).drop(["name", "born"])
    pay = np.random.default_rng(1).lognormal(7, 2, 900).round()
    pay[::50] = np.nan
    return columns.append_column("pay", pa.array(pay, from_pandas=True)).append_column(
        "row", pa.array(np.arange(900))
    )


def masked(table, tmp_path, client, columns=("age", "pay", "job"), *, k=4, **options):
    roles = {"row": "non-confidential", "height": "non-confidential", "ill": "confidential"}
    roles |= {name: "non-confidential" for name in ("age", "pay", "job", "region")
              if name not in columns}  # fmt: skip
    step = Microaggregate(list(columns), MDAV(k=k), missing="impute")
    source = write_files(table, tmp_path / "in")
    release = scale.mask(
        source, Plan(roles, [step]), tmp_path / "out", client=client, chunk_size=300, **options
    )
    return release, pd.read_parquet(tmp_path / "out").sort_values("row", ignore_index=True)


def finding(release, code):
    return next(entry for entry in release.verdict.findings if entry.code == code)


def test_blocks_count_what_pandas_counts(table, tmp_path, client):
    release, out = masked(table, tmp_path, client)
    original = table.to_pandas()
    is_same = {name: (out[name] == original[name]) for name in ("age", "pay", "job")}
    expected = {name: same[original[name].notna()].mean() for name, same in is_same.items()}
    for name in expected:
        assert release.verdict.exact[name] == pytest.approx(expected[name])
    together = (
        is_same["age"]
        & is_same["job"]
        & (is_same["pay"] | original["pay"].isna() & out["pay"].isna())
    )
    assert release.verdict.exact[""] == pytest.approx(together.mean())
    groups = out.groupby(["age", "pay", "job"]).ngroup()
    shares = original["pay"].groupby(groups).max() / original["pay"].groupby(groups).sum()
    has_several_values = original["pay"].notna().groupby(groups).sum() > 1
    dominated = finding(release, "dominated-groups").figures["groups"]
    assert dominated["pay"] == ((shares > 0.8) & has_several_values).sum()
    assert "age" not in dominated
    assert finding(release, "unique-on-unchanged-columns").figures == {"with_masked": 1.0}
    sizes = groups.value_counts()
    assert finding(release, "insiders").figures == {
        "size": sizes.min(), "groups": (sizes == sizes.min()).sum(),
    }  # fmt: skip
    assert "derived columns" in finding(release, "checks-not-computed").sentence
    assert release.verdict.status == "qualified"
    assert "verdict: qualified" in repr(release)


def test_values_contributed_by_few_records_are_counted(table, tmp_path, client):
    pay = np.random.default_rng(2).normal(size=900)
    pay[np.arange(900) % 12 > 0] = np.nan
    sparse = table.set_column(
        table.column_names.index("pay"), "pay", pa.array(pay, from_pandas=True)
    )
    release, out = masked(sparse, tmp_path, client, ["age", "pay"])
    groups = out.groupby(["age", "pay"], dropna=False).ngroup()
    n_given = pd.Series(pay).notna().groupby(groups).sum()
    has_few = (n_given > 1) & (n_given < 4) & out["pay"].notna().groupby(groups).any()
    assert finding(release, "few-contributors").figures["groups"] == {"pay": has_few.sum()}
    assert "one-contributor" not in release.verdict.codes()


def test_a_folder_without_protection_is_not_published(table, tmp_path, client):
    with pytest.raises(NotKept) as caught:
        masked(table, tmp_path, client, ["age"], k=1)
    assert caught.value.verdict.codes()[0] == "k-is-one"
    assert not (tmp_path / "out").exists()
    (tmp_path / "again").mkdir()
    release, _ = masked(table, tmp_path / "again", client, ["age"], k=1, allow_not_kept=True)
    assert release.verdict.status == "not kept"
