"""What notebooks show: complete, escaped, readable in every theme, and without effect outside."""

import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from browser import chromium
from raising import raises
from shoal.errors import MissingDependency, ParameterError, ShoalWarning
from shoal.report.palette import DARK, LIGHT
from shoal.report.scope import scoped

CONTRAST = (Path(__file__).parents[1] / "contrast.js").read_text(encoding="utf-8")
LEAST_CONTRAST = 4.5  # WCAG AA for text
HOSTILE = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "</title></desc></svg></style><script>document.title='owned'</script>",
    "{{ 7*7 }}",
    "$a_b$ & \"'`",
]
VOID = {"br", "wbr", "meta", "img", "input", "hr"}
NAMES = [
    "inspection", "release", "verdict", "plan", "comparison", "assessment", "attacks", "utility",
    "report",
]  # fmt: skip
# A page with rules for the same elements, as notebooks have.
HOST = """<!doctype html><meta charset="utf-8">
<style>body {{ background: {paper}; color: {ink}; }} table, td {{ color: red; text-align: right; }}
.host tr:nth-child(odd) {{ background: red; }}</style>
<body {theme}><div class="host"><p id="p">text</p><table id="t"><tr><td>cell</td></tr></table>
<details id="d"><summary>more</summary></details><svg id="s"><text class="tick">1</text></svg>
<div id="place"></div></div></body>"""
STYLES = """() => ["p", "t", "d", "s"].flatMap(id => {
  const found = [];
  for (const e of [document.getElementById(id), ...document.querySelectorAll(`#${id} *`)])
    found.push(JSON.stringify(Object.fromEntries([...getComputedStyle(e)].map(
      name => [name, getComputedStyle(e)[name]]))));
  return found;
})"""


@pytest.fixture(scope="module")
def objects():
    """Return everything that notebooks show, by name, for columns with hostile names."""
    quasi_identifiers = ["age", "height", "region"]
    people = shoal.datasets.survey(80)[[*quasi_identifiers, "income", "smoker"]]
    names = dict(zip(people.columns, HOSTILE, strict=False))
    people, quasi_identifiers = (
        people.rename(columns=names),
        [names[name] for name in quasi_identifiers],
    )
    secret = [names["income"], names["smoker"]]
    with pytest.warns(ShoalWarning):
        release = shoal.microaggregate(
            people, quasi_identifiers, k=4, confidential=secret, method="mdav"
        )
    return {
        "inspection": shoal.inspect(people),
        "release": release,
        "verdict": release.verdict,
        "plan": release.plan,
        "comparison": shoal.compare(
            people, quasi_identifiers, k=[3, 5, 900], method=["mdav", "sorted"]
        ),
        "assessment": shoal.assess(
            people, release.data, quasi_identifiers=quasi_identifiers, confidential=secret
        ),
        "utility": shoal.utility(
            people, release.data, measures=["estimates"], by=names["region"], random_state=0
        ),
        "attacks": shoal.attack(
            people,
            release.data,
            quasi_identifiers=quasi_identifiers,
            confidential=secret,
            random_state=1,
        ),
        "report": release.report(),
    }


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


class Balanced(HTMLParser):
    """Refuses elements that are not closed; remembers what is loaded, and ids."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.loaded = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append(tag)
        self.open += [] if tag in VOID else [tag]
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.loaded += [
            attributes[name] for name in ("src", "href", "xlink:href") if name in attributes
        ]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_an_output_is_complete_and_loads_nothing(objects, name):
    page = Balanced(objects[name]._repr_html_())
    assert not page.loaded
    assert not {"script", "img", "link", "object", "form"} & set(page.tags)
    assert len(set(page.ids)) == len(page.ids)


def test_two_outputs_share_no_id(objects):
    first, second = (Balanced(objects["release"]._repr_html_()) for _ in range(2))
    assert first.ids
    assert not set(first.ids) & set(second.ids)


def opened(browser, output, theme, scheme="light"):
    dark = "false" in theme or (not theme and scheme == "dark")
    colours = {"paper": "#111", "ink": "#eee"} if dark else {"paper": "#fff", "ink": "#111"}
    page = browser.new_page(color_scheme=scheme)
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    page.set_content(HOST.format(theme=theme, **colours))
    page.before = page.evaluate(STYLES)
    page.evaluate("html => { document.getElementById('place').innerHTML = html; }", output)
    return page


@pytest.mark.parametrize("name", NAMES)
def test_an_output_changes_nothing_outside_and_runs_nothing(browser, objects, name):
    page = opened(browser, objects[name]._repr_html_(), 'data-jp-theme-light="true"')
    assert page.evaluate(STYLES) == page.before
    assert page.title() == ""
    assert page.asked == []
    page.close()


@pytest.mark.parametrize(
    ("theme", "scheme", "colours"),
    [
        ("", "light", LIGHT),
        ("", "dark", DARK),
        ('data-jp-theme-light="true"', "dark", LIGHT),
        ('data-jp-theme-light="false"', "light", DARK),
        ('data-theme="dark"', "light", DARK),
        ('class="vscode-dark"', "light", DARK),
    ],
)
def test_outputs_follow_the_theme_and_can_be_read(browser, objects, theme, scheme, colours):
    output = "".join(objects[name]._repr_html_() for name in NAMES if name != "report")
    page = opened(browser, output.replace("<details>", "<details open>"), theme, scheme)
    ink = page.evaluate("getComputedStyle(document.querySelector('.shoal-output')).color")
    assert ink == "rgb({}, {}, {})".format(*bytes.fromhex(colours["ink"][1:]))
    page.evaluate("document.querySelectorAll('#p, #t, #d, #s').forEach(e => e.remove())")
    weak = [text for contrast, text in page.evaluate(CONTRAST) if contrast < LEAST_CONTRAST]
    assert not weak
    rows = page.locator(".shoal-output tr").first
    assert rows.evaluate("e => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
    page.close()


def test_a_report_without_a_path_is_the_page_in_a_frame(browser, objects, tmp_path):
    release, report = objects["release"], objects["report"]
    release.report(tmp_path / "report.html")
    assert report.html == (tmp_path / "report.html").read_text(encoding="utf-8")
    page = opened(browser, report._repr_html_(), "")
    frame = page.frames[1]
    frame.wait_for_selector("h1")
    assert frame.locator("h1").text_content() == "Report on a release"
    assert frame.locator("script").count() == 0
    page.close()
    assert "(internal)" in release.report(audience="internal").html
    assert "<h1>Persons" in release.report(title="Persons").html
    with raises(ParameterError, "unknown-audience"):
        release.report(audience="friends")


def test_seeds_that_were_drawn_are_not_shown():
    data = shoal.datasets.sme()
    with pytest.warns(ShoalWarning):
        release = shoal.microaggregate(data, ["surface", "employees"], k=3, method="mu-approx")
    assert release.drawn_seeds
    for shown_object in (release, release.plan, release.report()):
        assert not any(str(seed) in shown_object._repr_html_() for seed in release.drawn_seeds)


def test_values_of_single_records_are_not_shown():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.uniform(1e3, 1e4, (40, 3)).round(3), columns=["a", "b", "c"])
    release = shoal.microaggregate(data, ["a", "b"], k=4, confidential=["c"], method="mdav")
    result = shoal.assess(data, release.data, quasi_identifiers=["a", "b"], confidential=["c"])
    for shown_object in (release, release.verdict, release.plan, release.report(), result):
        text = shown_object._repr_html_()
        assert not any(str(value) in text for value in data.to_numpy().ravel())
    assert release._repr_html_().count("not shown<br>") == 2  # quartiles of the original


def test_the_plot_of_a_release_shows_classes_and_columns(objects, monkeypatch):
    release = objects["release"]
    figure = release.plot()
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    names = [name if len(name) <= 34 else f"{name[:33]}…" for name in release.plan.masked]
    assert titles == ["How many records look alike", *names]
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert sum(heights) == sum(release.measures["class_sizes"].values())
    after = figure.axes[1].patches[-1].get_data().values
    assert sum(after) == pytest.approx(100)
    assert figure._repr_png_().startswith(b"\x89PNG")
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()
    monkeypatch.setitem(sys.modules, "shoal.report.matplotlib_figure", None)
    with raises(MissingDependency, "package-missing", extra="plots"):
        release.plot()


def test_only_flat_rules_are_scoped():
    assert scoped("p { margin: 0 }").startswith(":is(.shoal-output, #shoal-output) p{")
    with pytest.raises(ValueError):  # noqa: PT011
        scoped("@media print { p { margin: 0 } }")
