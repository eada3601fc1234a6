"""Results by name, reasons why others are missing, and progress reports."""

from dataclasses import dataclass

import pytest

from shoal import _progress as progress
from shoal.metrics.evaluation.results_by_name import ResultsByName, run_each


@dataclass
class Result:
    """A result that has only a name."""

    name: str


FUNCTIONS = {
    "one": lambda setting: Result(f"one of {setting}"),
    "two": lambda setting: [Result("first"), Result("second")],
    "none": lambda setting: f"{setting} has no column",
}


def test_results_and_reasons_come_in_the_order_of_the_names():
    heard = []
    with progress.reporting_to(lambda *report: heard.append(report)):
        results, not_run = run_each("work", FUNCTIONS, ["two", "none", "one"], "table")
    assert [result.name for result in results] == ["first", "second", "one of table"]
    assert not_run == {"none": "table has no column"}
    assert heard == [("work", done, 3) for done in range(4)]


def test_results_are_a_mapping_by_name():
    results = ResultsByName([Result("b"), Result("a")], {"c": "why"})
    assert list(results) == ["b", "a"]
    assert results["a"] is results.results[1]
    assert len(results) == 2
    with pytest.raises(KeyError):
        results["c"]
