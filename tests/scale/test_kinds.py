"""Kinds of columns of large tables: what memory infers must be declared here."""

import pyarrow as pa

from raising import raises
from shoal import Plan
from shoal.errors import InputError, PlanError
from shoal.metrics.assessment import Assessment
from shoal.partitioners import MDAV
from shoal.plan.findings.limits import limit_findings
from shoal.scale.validation import check_columns, check_plan


def test_whole_numbers_that_are_codes_must_be_declared():
    schema = pa.schema({"zip": pa.int64(), "age": pa.int64()})
    plan = Plan.of(["zip", "age"], MDAV(k=3))
    with raises(InputError, code="codes-undeclared", column="zip"):
        check_columns(plan, schema, frozenset())
    check_columns(plan.replace(types={"zip": "nominal"}), schema, frozenset())


def test_limits_on_figures_that_are_not_computed_are_refused_before_the_run():
    plan = Plan.of(["age"], MDAV(k=3), limits={"max_information_loss": 40, "max_linkage": 0.4})
    check_plan(plan)
    for name in ("max_linkage_distance", "max_suda_dis"):
        with raises(PlanError, code="not-for-large-tables", what="limits"):
            check_plan(plan.replace(limits={"max_linkage": 0.4, name: 1}))


def test_limits_are_checked_on_the_measures_of_a_large_table():
    plan = Plan.of(["age"], MDAV(k=3), limits={"min_smallest_class": 5, "max_linkage": 0.5})
    verdict = limit_findings(plan.limits.check(Assessment({"smallest_class": 3}, {})), plan.steps)
    assert [finding.severity for finding in verdict] == ["breaks", "breaks", "informs"]
    assert [finding.figures.get("value") for finding in verdict[:2]] == [3, None]
