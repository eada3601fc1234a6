"""Missing codes of large tables: missing values as in memory, however the table is divided."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clusters import masked_in_two_orders, write_files
from shoal import Hierarchy, Plan, scale, verify
from shoal.partitioners import MDAV
from shoal.scale.sources.missing_codes import without_missing_codes
from shoal.scale.sources.sorting import sort_by
from shoal.scale.statistics.hashes import record_hashes
from shoal.steps import Generalise, Suppress

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

COLUMNS = ["age", "pay", "job"]
RECODED = ["age", "job"]
CODES = {"age": [98, 99], "pay": [-9], "job": ["unknown"]}


def coded_table(n=400):
    """Return records with missing codes, of whole numbers, floats beside NaN, and text."""
    rng = np.random.default_rng(3)
    age = rng.integers(18, 80, n)
    age[rng.random(n) < 0.05] = 98
    age[rng.random(n) < 0.05] = 99
    pay = rng.lognormal(7, 1, n).round(1)
    pay[rng.random(n) < 0.1] = -9.0
    pay[rng.random(n) < 0.05] = np.nan
    job = rng.choice(["baker", "clerk", "unknown"], n, p=[0.6, 0.3, 0.1])
    return pa.table({"age": age, "pay": pay, "job": job, "row": np.arange(n)})


def plan_of(steps=None, **options):
    if steps is None:
        plan = Plan.of(COLUMNS, MDAV(k=4), missing_codes=CODES, **options)
        return plan.replace(roles={**plan.roles, "row": "non-confidential"})
    roles = dict.fromkeys(RECODED, "quasi-identifier")
    others = dict.fromkeys(["pay", "row"], "non-confidential")
    types = {"age": {"kind": "numeric", "hierarchy": Hierarchy(intervals=[10, 40])}}
    codes = {name: CODES[name] for name in RECODED}
    return Plan({**roles, **others}, steps, types, missing_codes=codes)


def by_row(table):
    return table.to_pandas().sort_values("row", ignore_index=True)


def missing_code_findings(release):
    return {finding for finding in map(str, release.verdict.findings) if "missing code" in finding}


@pytest.mark.parametrize("missing", ["drop", "impute", "own-groups"])
def test_codes_are_missing_values_as_in_memory(missing, client, tmp_path):
    table, plan = coded_table(), plan_of(missing=missing)
    source = write_files(table, tmp_path / "in")
    release = scale.mask(
        source, plan, tmp_path / "out", client=client, manifest=tmp_path / "out.json"
    )
    memory = plan.run(sort_by(without_missing_codes(table, plan.missing_codes), COLUMNS))
    pd.testing.assert_frame_equal(
        by_row(pq.read_table(release.target)), by_row(memory.data), check_dtype=False, rtol=1e-12
    )
    with_codes = plan.run(table)
    assert len(missing_code_findings(release)) == len(CODES)
    assert missing_code_findings(release) == missing_code_findings(with_codes)
    assert (release.verdict.status, release.verdict.k) == (memory.verdict.status, memory.verdict.k)
    verification = verify(tmp_path / "out", tmp_path / "out.json", original=source, client=client)
    assert verification.failed == []


@pytest.mark.parametrize("step", [Generalise, Suppress])
def test_codes_are_missing_values_for_recoding_too(step, client, tmp_path):
    table, plan = coded_table(), plan_of([step(RECODED, k=5)])
    source = write_files(table, tmp_path / "in")
    release = scale.mask(source, plan, tmp_path / "out", client=client, chunk_size=150)
    without_codes = without_missing_codes(table, plan.missing_codes)
    order = np.lexsort(
        (
            record_hashes(without_codes, without_codes.column_names, 3),
            record_hashes(without_codes, RECODED, 2),
        )
    )
    memory = plan.run(without_codes.take(order))
    pd.testing.assert_frame_equal(
        by_row(pq.read_table(release.target)), by_row(memory.data), check_dtype=False
    )
    assert len(missing_code_findings(release)) == len(RECODED)
    assert missing_code_findings(release) == missing_code_findings(plan.run(table))
    assert release.verdict.k == memory.verdict.k


def test_neither_order_nor_files_matter_if_codes_are_beside_nan(client, tmp_path):
    table, plan = coded_table().drop(["row"]), plan_of(missing="impute")
    plan = plan.replace(roles={name: plan.roles[name] for name in COLUMNS})
    releases = masked_in_two_orders(table, plan, tmp_path, client, chunk_size=100)
    first, second = ([entry["sha256"] for entry in release.files] for release in releases)
    assert first == second
    assert len(first) > 2


def test_codes_and_nan_become_null_and_other_columns_are_unchanged():
    table = pa.table({"x": [1.0, 99.0, np.nan, None], "y": [99, 1, 2, 3], "z": [99, 98, 7, None]})
    without_codes = without_missing_codes(table, {"x": ("99",), "z": ("98", "99")})
    assert without_codes.to_pydict() == {
        "x": [1.0, None, None, None], "y": [99, 1, 2, 3], "z": [None, None, 7, None],
    }  # fmt: skip
    assert without_codes.schema == table.schema
