"""The report: correct, self-contained, escaped, and without data about single persons."""

import html.parser
import json
import re
from datetime import date
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

import shoal
from raising import raises
from shoal._text import format_percentage
from shoal.errors import (
    FileError,
    HomogeneousGroup,
    ParameterError,
    UnderProtection,
    UnprotectedColumn,
)
from shoal.frame.tables import open_frame
from shoal.partitioners import Sorted
from shoal.plan import Plan
from shoal.plan.profile.column_profile import profile_columns, profile_pairs, similarity_scores
from shoal.report import figures
from shoal.report.html import breakable_parts, embedded, render, report_figures, styles
from shoal.report.identity import Identity, today
from shoal.report.summary import summarise
from shoal.report.text import whole_text
from shoal.steps import Generalise, Microaggregate

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
        self.text += data.replace("\u00a0", " ")


def test_the_report_states_guarantees_and_measures(tmp_path, release):
    release.report(tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text())
    assert "k = 3 is kept" in page.text
    assert format_percentage(release.measures["information_loss"]) in page.text
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
    page = Page(render(summarise(release, "internal")))
    assert "svg" in page.tags
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert hostile in page.text
    assert "{{ 7*7 }}" in page.text


def test_a_broken_guarantee_comes_first():
    with pytest.warns(UnderProtection):
        release = shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3, blocks=1, **OTHER)
    summary = summarise(release)
    assert summary["promise"] == {"k": 3, "attained": 1, "kept": False}
    page = Page(render(summary))
    assert summary["verdict"]["status"] == release.verdict.status == "not kept"
    assert release.verdict.sentence in page.text
    assert page.text.index(release.verdict.sentence) < page.text.index("What was guaranteed")
    assert release.verdict.of("breaks")[0].sentence in page.text


def test_the_summary_is_plain_data_without_labels_or_values(release):
    text = json.dumps(summarise(release))
    original = shoal.datasets.sme()
    for name in ("turnover", "net_profit"):
        assert not any(str(value) in text for value in original[name])
    assert "labels" not in text


def test_the_public_plan_holds_no_seed():
    release = shoal.microaggregate(
        shoal.datasets.sme(), KNOWN, k=3, method="mu-approx", random_state=4711, **OTHER
    )
    assert "4711" not in summarise(release)["plan"]
    assert "random_state" not in summarise(release)["plan"]
    assert "random_state = 4711" in summarise(release, "internal")["plan"]


def test_the_public_report_shows_no_row_of_a_declared_file():
    firms = pd.DataFrame({"town": ["Porto", "Faro"] * 6, "size": ["small", "big"] * 6})
    types = {
        "town": {"kind": "nominal", "hierarchy": [["Porto", "Alice 90000"], ["Faro", "Bob"]]},
        "size": {"kind": "ordinal", "order": ["small", "big", "Unreleased"]},
    }
    release = shoal.microaggregate(firms, ["town", "size"], k=3, method="mdav", types=types)
    for secret in ("Alice", "Bob", "Unreleased"):
        assert secret not in json.dumps(summarise(release))
        assert secret not in render(summarise(release))
        assert secret in summarise(release, "internal")["plan"]


def test_internal_details_are_not_in_the_public_report():
    firms = shoal.datasets.sme()
    release = shoal.microaggregate(
        firms, KNOWN, k=3, method="mu-approx", random_state=4711, **OTHER
    )
    public, internal = summarise(release), summarise(release, "internal")
    assert "4711" not in json.dumps(public)
    assert "4711" in internal["plan"]
    assert "groups" not in public["pictures"]
    assert internal["pictures"]["groups"]
    assert "Groups on the first two components" not in render(public)
    assert "Groups on the first two components" in render(internal)
    assert "not for publication" in render(internal)
    assert "not for publication" not in render(public)


def test_the_report_states_what_an_attacker_can_and_cannot_do(release):
    summary = summarise(release)["attacker"]
    assert summary["cannot"][0].startswith(
        "Single a person out by surface and employees: at least 3"
    )
    assert summary["cannot"][1].startswith(
        "Read the original surface and employees of a person: no"
    )
    assert summary["cannot"][2].startswith("Find company in the release")
    assert summary["can"][0].endswith("down to 3 records or more.")
    text = Page(render(summarise(release))).text
    assert text.index(summary["cannot"][0]) < text.index("What was guaranteed")


def test_a_shared_confidential_value_is_reported_as_known():
    data = pd.DataFrame(
        {"age": [1.0, 2, 3, 11, 12, 13], "ill": list("yyynyn"), "sex": list("mfmfmf")}
    )
    with pytest.warns(HomogeneousGroup), pytest.warns(UnprotectedColumn):
        release = shoal.microaggregate(data, ["age"], k=3, method="mdav", confidential=["ill"])
    summary = summarise(release)["attacker"]["can"]
    assert (
        "Learn the ill of every person in 1 of 2 classes: all records there share one value."
        in summary
    )
    assert any("if sex is known too: it is released" in entry for entry in summary)


def test_a_broken_guarantee_claims_nothing():
    with pytest.warns(UnderProtection):
        release = shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3, blocks=1, **OTHER)
    summary = summarise(release)["attacker"]
    assert not any("Single a person out" in entry for entry in summary["cannot"])
    assert summary["can"][:2] == [
        "Find the one record of some persons by combining all masked columns.",
        "Read the turnover and net_profit of each person who is linked correctly.",
    ]


def test_every_figure_has_a_description_and_stays_within_its_frame(release):
    summary = summarise(release, "internal")
    summary["measures"].append({**summary["measures"][0], "name": "certified_gap", "value": 0.25})
    summary["tradeoff"] = {
        "dependence": [0.2], "distortion_x": 0.1, "distortion_y": 0.4,
        "curve": [{"k": 3, "dependence": 0, "distortion_x": 0.05, "distortion_y": 0.6}],
    }  # fmt: skip
    all_figures = [figure for figures in report_figures(summary) for figure in figures]
    assert len(all_figures) == 4 + len(KNOWN) + 3 + 1
    for figure in all_figures:
        assert figure.title
        for mark in figure.marks:
            for name, value in mark.attributes.items():
                size = figure.height if name in ("y", "y1", "y2", "cy") else figure.width
                if name in ("x", "x1", "x2", "cx", "y", "y1", "y2", "cy"):
                    assert 0 <= value <= size
            assert mark.attributes.get("width", 0) >= 0


def test_the_proven_gap_is_drawn_to_scale(release):
    figure = figures.proven_gap(25.0, 0.25)
    least, rest = (mark for mark in figure.marks if mark.tag == "rect")
    assert least.attributes["width"] / rest.attributes["width"] == pytest.approx(4, rel=0.01)
    assert "less than 20.00 %" in figure.description
    assert "no groups of at least k records lose less" in figures.proven_gap(25.0, 0).description


def test_heights_of_bars_follow_the_counts():
    figure = figures.class_sizes({2: 5, 3: 10, 7: 1}, 3)
    bars = [mark for mark in figure.marks if mark.tag == "rect"]
    heights = [bar.attributes["height"] for bar in bars]
    assert heights[1] / heights[0] == pytest.approx(2, rel=0.01)
    assert heights[1] / heights[2] == pytest.approx(10, rel=0.05)
    assert [bar.attributes["class"] for bar in bars] == ["wrong", "after", "after"]


def test_many_sizes_are_shown_in_ranges():
    figure = figures.class_sizes({size: 1 for size in range(5, 100)}, 5)
    labels = [mark.text for mark in figure.marks if "–" in mark.text]
    assert labels == ["5–9", "10–19", "20–39", "40–79", "80–99"]


def test_a_figure_can_be_embedded_in_another_page(release):
    (figure, *_) = report_figures(summarise(release)).protection_and_loss
    page = Page(embedded(figure, "first"))
    assert page.tags.count("svg") == 1
    assert figure.description in page.text
    assert "--deep" in styles()
    assert "<" not in styles()


def test_the_same_release_is_reported_in_the_same_bytes(release):
    same_release = shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3, **OTHER)
    assert render(summarise(same_release)) == render(summarise(release))


def test_a_report_is_for_a_known_audience(tmp_path, release):
    with raises(ParameterError, "unknown-audience"):
        release.report(tmp_path / "report.html", audience="internals")
    with raises(FileError, "report-ending", file="report.pdf"):
        release.report(tmp_path / "report.pdf")
    assert not list(tmp_path.iterdir())


def test_the_summary_survives_json(tmp_path, release):
    release.report(tmp_path / "report.json", audience="internal")
    content = json.loads((tmp_path / "report.json").read_text())
    assert {name: content[name] for name in ("verdict", "attacker")} == {
        name: summarise(release, "internal")[name] for name in ("verdict", "attacker")
    }
    identity = Identity(date=content["identity"]["date"])
    summary = summarise(release, "internal", identity=identity)
    assert Page(render(content)).text == Page(render(summary)).text


def test_a_report_does_not_overwrite_a_file(tmp_path, release):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(FileError):
        release.report(path)
    assert path.read_text() == "old"
    release.report(path, force=True)
    assert path.read_text() != "old"


def test_one_line_states_the_loss(release):
    assert repr(release) == (
        f"Release(11 records, groups of {np.bincount(release.labels).min()} to"
        f" {np.bincount(release.labels).max()}, information loss"
        f" {format_percentage(release.measures['information_loss'])}, verdict: qualified)"
    )


def test_measures_of_columns_are_shown_as_tables(release):
    page = Page(render(summarise(release)))
    for word in ("By quasi-identifier", "By confidential column", "l-diversity entropy"):
        assert word in page.text
    assert f"surface{release.measures['loadings_change']['surface']:.4f}" in page.text.replace(
        "\n", ""
    )
    assert f"{release.measures['correlation_change']['mean']:.3g}" in page.text
    assert "correlation change: mean" in page.text
    assert "{" not in page.text.split("What was measured")[1].split("The plan")[0]


def test_measures_that_were_not_computed_are_named(release):
    assert "Remarks on the measures" not in render(summarise(release))
    bare = shoal.microaggregate(shoal.datasets.sme()[KNOWN], KNOWN, k=3)
    page = Page(render(summarise(bare)))
    assert "Remarks on the measures" in page.text
    assert "needs a confidential column" in page.text


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize("local", [False, True])
def test_levels_of_hierarchies_are_shown_with_their_shares(local):
    data = pd.DataFrame({"age": [20, 21, 22, 40, 41, 42, 60, 80]})
    types = {"age": shoal.Hierarchy(intervals=[20])}
    step = Generalise(["age"], 2, suppression=0.25)
    if local:
        step = Microaggregate(["age"], Sorted(k=3), aggregate="ancestor")
    summary = summarise(Plan({}, [step], types).run(data))
    (entry,) = summary["hierarchies"]
    assert entry["column"] == "age"
    assert [level["categories"] for level in entry["levels"]] == [8, 4, 1]
    shares = [level["share"] for level in entry["levels"]]
    assert shares == ([0, 3 / 8, 5 / 8] if local else [0, 3 / 4, 0])
    assert [level["widths"] for level in entry["levels"]] == [[1] * 8, [3, 3, 1, 1], [8]]
    page = Page(render(summary)).text
    assert "Levels of the hierarchies" in page
    assert "Hierarchy of age" in page
    assert "level 1: a category of 3 of 8 values" in page
    assert "4 (37.5 %)" in whole_text(summary) if local else "4 (75 %)" in whole_text(summary)


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_a_hierarchy_of_many_values_is_drawn_without_its_lowest_levels():
    data = pd.DataFrame({"code": [f"{i:03d}" for i in range(150)]})
    types = {"code": shoal.Hierarchy(prefixes=[2, 1])}
    summary = summarise(Plan({}, [Generalise(["code"], 5)], types).run(data))
    (entry,) = summary["hierarchies"]
    assert [level["widths"] for level in entry["levels"]] == [[], [10] * 15, [100, 50], [150]]
    assert "level 0: 150 categories" in Page(render(summary)).text


def test_the_identity_of_the_release_comes_first(tmp_path, release):
    path = tmp_path / "report.html"
    release.report(path, title="Firms of 1995 <b>", author="Statistics")
    page = Page(path.read_text(encoding="utf-8"))
    top = page.text[page.text.index("Firms of 1995 <b>") : page.text.index("Verdict")]
    for word in ("Statistics", date.today().isoformat(), "Shoal ", "11, 4"):
        assert word in top
    summary = summarise(release)
    assert summary["identity"]["plan_sha256"] == sha256(summary["plan"].encode()).hexdigest()
    assert summary["identity"]["plan_sha256"] in top


def test_the_date_can_be_fixed(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert today() == "1970-01-02"


def test_the_public_sees_no_quartile_of_the_original(release):
    for audience in ("public", "internal"):
        columns = summarise(release, audience)["before_and_after"]
        assert [entry["quartiles"][0] is None for entry in columns] == [audience == "public"] * 2
        assert all(len(entry["quartiles"][1]) == 3 for entry in columns)


def test_columns_that_changed_most_come_first():
    before = _frame(
        {"same": [1.0, 2.0, 3.0, 4.0], "other": [1.0, 2.0, 3.0, 4.0], "c": list("aabb")}
    )
    after = _frame(
        {"same": [1.0, 2.0, 3.0, 4.0], "other": [9.0, 9.0, 9.0, None], "c": list("aaaa")}
    )
    first, second, third = profile_columns(before, after, ["same", "c", "other"], ["c"])
    assert (first["column"], first["similarity"], first["missing"]) == ("other", 0.0, [0, 1])
    assert (second["column"], second["similarity"], second["levels"]) == ("c", 0.5, [2, 1])
    assert (third["column"], third["similarity"], third["mean"]) == ("same", 1.0, [2.5, 2.5])
    related = {"columns": ["x", "y"], "before": [[1, 0.5], [0.5, 1]], "after": [[1, 0], [0, 1]]}
    pairs = profile_pairs(related)
    assert similarity_scores([first, second, third], pairs) == {
        "columns": 0.5, "pairs": 0.75, "overall": 0.625,
    }  # fmt: skip
    assert similarity_scores([], profile_pairs(related, related, [0.25]))["pairs"] == 0.5
    assert similarity_scores([], []) == {"columns": None, "pairs": None, "overall": None}


def test_names_break_at_marks_and_after_many_letters():
    assert breakable_parts("a<b_c d of e f") == ["a<b_", "c d of e f"]
    assert breakable_parts("a<b_c d") == ["a<b_c d"]  # short enough for a line
    assert breakable_parts("x" * 45) == ["x" * 20, "x" * 20, "x" * 5]


def _frame(columns):
    return open_frame(pd.DataFrame(columns))


def test_years_have_no_thousands_separator():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"born": 1940 + rng.integers(0, 60, 80), "pay": rng.integers(1e4, 4e4, 80)})
    release = shoal.microaggregate(data, ["born", "pay"], k=5, method="mdav")
    text = Page(render(summarise(release, "internal"))).text
    assert re.search(r"\b19[4-9]\d\b", text)
    assert not re.search(r"\b1,9\d\d\b", text)
    assert re.search(r"\b[1-4]\d,\d\d\d\b", text)  # of pay
