"""The first report: true, self-contained, escaped, and silent about persons."""

import html.parser
import json

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import FileError, UnderProtection
from shoal.report import render, summarise

KNOWN = ["surface", "employees"]
OTHER = {"identifiers": ["company"], "confidential": ["turnover", "net_profit"]}


@pytest.fixture
def release():
    return shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3, **OTHER)


class Page(html.parser.HTMLParser):
    """What a browser would see: tags, addresses, text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.text = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("href", "src", "action")]

    def handle_data(self, data):
        self.text += data


def test_the_report_says_what_was_promised_and_measured(tmp_path, release):
    release.report(tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text())
    assert "The promise holds: k = 3." in page.text
    assert f"{release.measures['information_loss']:.4f}" in page.text
    assert "Dropped (identifiers)company" in page.text
    assert "Released unchangedturnover, net_profit" in page.text
    assert "auto" in page.text
    assert "mdav" in page.text


def test_the_report_needs_nothing_from_outside(release):
    page = Page(render(summarise(release)))
    assert page.addresses == []
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert {"h1", "h2", "main"} <= set(page.tags)


def test_names_of_columns_are_data_and_escaped():
    hostile = "<script>alert('x')</script>"
    data = pd.DataFrame(
        {hostile: [1.0, 2, 3, 4], "{{ 7*7 }}": [1.0, 2, 3, 4], '"><img src=x>': list("tutu")}
    )
    release = shoal.microaggregate(
        data, [hostile, "{{ 7*7 }}"], k=2, confidential=['"><img src=x>']
    )
    page = Page(render(summarise(release)))
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert hostile in page.text
    assert "{{ 7*7 }}" in page.text


def test_a_broken_promise_stands_first():
    with pytest.warns(UnderProtection):
        release = shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3, blocks=1, **OTHER)
    summary = summarise(release)
    assert summary["promise"] == {"k": 3, "attained": 1, "kept": False}
    page = Page(render(summary))
    assert "do NOT keep k = 3" in page.text
    assert page.text.index("do NOT keep") < page.text.index("What was promised")
    assert "Warning. The quasi-identifiers together attain k=1" in page.text


def test_the_summary_is_plain_data_without_labels_or_values(release):
    text = json.dumps(summarise(release))
    original = shoal.datasets.sme()
    for name in ("turnover", "net_profit"):
        assert not any(str(value) in text for value in original[name])
    assert "labels" not in text


def test_the_public_plan_holds_no_seed(release):
    entries = release.plan.to_dict()
    entries["steps"][0]["partition"]["random_state"] = 4711
    from shoal.report.summary import _public_plan

    assert "4711" not in _public_plan(entries)
    assert "random_state" not in _public_plan(entries)


def test_a_report_does_not_replace_a_file_unasked(tmp_path, release):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(FileError):
        release.report(path)
    assert path.read_text() == "old"
    release.report(path, force=True)
    assert path.read_text() != "old"


def test_one_line_tells_the_loss(release):
    assert repr(release) == (
        f"Release(11 records, groups of {np.bincount(release.labels).min()} to"
        f" {np.bincount(release.labels).max()}, information loss"
        f" {release.measures['information_loss']:.2f}%)"
    )


def test_measures_of_columns_are_shown_as_tables(release):
    page = Page(render(summarise(release)))
    for word in ("By quasi-identifier", "By confidential column", "l diversity entropy"):
        assert word in page.text
    assert f"surface{release.measures['loadings_change']['surface']:.4f}" in page.text.replace(
        "\n", ""
    )
    assert f"{release.measures['correlation_change']['mean']:.4f}" in page.text
    assert "correlation change: mean" in page.text
    assert "{" not in page.text.split("What was measured")[1].split("The plan")[0]


def test_what_could_not_be_measured_is_said(release):
    assert "What could not be measured" not in render(summarise(release))
    bare = shoal.microaggregate(shoal.datasets.sme()[KNOWN], KNOWN, k=3)
    page = Page(render(summarise(bare)))
    assert "What could not be measured" in page.text
    assert "needs a confidential column" in page.text
