"""Kinds and missing codes of large tables: what memory infers must be declared here."""

import pyarrow as pa

from raising import raises
from shoal import Plan
from shoal.errors import InputError, PlanError
from shoal.partitioners import MDAV
from shoal.scale.validation import check_columns, check_plan


def test_whole_numbers_that_are_codes_must_be_declared():
    schema = pa.schema({"zip": pa.int64(), "age": pa.int64()})
    plan = Plan.of(["zip", "age"], MDAV(k=3))
    with raises(InputError, code="codes-undeclared", column="zip"):
        check_columns(plan, schema, frozenset())
    check_columns(plan.replace(types={"zip": "nominal"}), schema, frozenset())


def test_missing_codes_are_refused():
    plan = Plan.of(["age"], MDAV(k=3), missing_codes={"age": [99]})
    with raises(PlanError, code="not-for-large-tables", what="missing_codes"):
        check_plan(plan)
