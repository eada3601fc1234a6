"""The page in a real browser: from file to download, and everything that can go wrong between."""

import re

import pyarrow.csv as pa_csv
import pytest
from typer.testing import CliRunner

import shoal
from app_process import wait_for
from page_actions import (
    Silent,
    end_session,
    load,
    press,
    run,
    saved,
    take_example,
    wait_until_kept,
)
from shoal.cli import app

HOSTILE = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "</select></table><script>document.title='owned'</script>",
    "javascript:document.title='owned'",
    "{{ 7*7 }}",
]
WIDE = [b",".join(b"a%d" % index for index in range(600)), b",".join([b"1"] * 600), b""]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "survey.csv"
    shoal.datasets.survey(200).to_csv(path, index=False)
    return path


def test_from_file_to_download(visit, survey, tmp_path):
    view = visit(accept_downloads=True)
    load(view, survey)
    assert view.locator("[name='role:0']").input_value() == "identifier"
    view.get_by_label("Role of region").select_option("stratum")
    view.get_by_label("Role of smoker").select_option("non-confidential")
    run(view, "4")
    view.locator(".run.done").wait_for()
    release = saved(view, "Masked file of run 1", tmp_path)
    plan = saved(view, "Plan of run 1", tmp_path)
    report = saved(view, "save the report of run 1", tmp_path)
    manifest = saved(view, "Manifest of run 1", tmp_path)
    saved(view, "its key of run 1", tmp_path).chmod(0o600)
    assert shoal.verify(release, manifest=manifest, original=survey).passed
    assert (release.name, plan.name, report.name) == (
        "survey-release.csv",
        "plan-1.toml",
        "report-1.html",
    )
    masked = pa_csv.read_csv(release).to_pandas()
    known = ["region", "age", "height", "weight", "years_of_education", "household_size"]
    assert "person" not in masked
    assert len(masked) == 200
    assert masked.groupby(known).size().min() >= 4
    again = tmp_path / "again.csv"
    result = CliRunner().invoke(app, ["run", str(plan), str(survey), str(again)])
    assert result.exit_code == 0
    assert again.read_bytes() == release.read_bytes()
    assert "shoal run plan-1.toml survey.csv survey-release.csv" in view.content()
    with view.context.expect_page() as opened:
        view.get_by_role("link", name="Report of run 1", exact=True).click()
    assert "k = 4 is kept" in opened.value.locator(".verdict").inner_text()
    assert "k = 4 is kept" in report.read_text(encoding="utf-8")


def test_another_step_can_be_chosen_and_shows_its_own_fields(visit, survey, tmp_path):
    view = visit(accept_downloads=True)
    load(view, survey)
    assert not view.locator("[id='step:generalise:loss']").is_visible()
    view.locator("#step").select_option("generalise")
    assert view.locator("[id='step:generalise:loss']").is_visible()
    assert not view.locator("#method").is_visible()
    press(view, "Details of age")
    assert view.get_by_label("Widths").input_value() == "5, 10, 20"
    view.locator("[id='step:generalise:suppression']").fill("0.1")
    view.locator("#k").fill("4")
    press(view, "Run")
    view.locator(".run.done").wait_for()
    plan = shoal.Plan.load(saved(view, "Plan of run 1", tmp_path))
    assert (plan.steps[0].name, plan.k) == ("generalise", 4)
    assert plan.steps[0].suppression == 0.1
    view.locator("#step").select_option("round")
    assert not view.locator("#k").is_visible()


def test_runs_are_listed_together_and_their_settings_can_be_restored(visit):
    view = visit()
    take_example(view)
    run(view, "3, 5, 20")
    view.locator(".run.done").nth(1).wait_for()
    failed = view.locator(".run.failed .message")
    failed.wait_for()
    assert "k=20" in failed.inner_text()
    assert view.locator("svg.broad circle[data-run]").count() == 2
    assert view.locator(".plain tbody tr").count() == 2
    press(view, "Use these settings of run 2")
    view.locator("#k[value='5']").wait_for()
    press(view, "Undo")
    view.locator("#k[value='3, 5, 20']").wait_for()
    press(view, "Redo")
    view.locator("#k[value='5']").wait_for()
    press(view, "Close this file")
    press(view, "Keep working")
    assert view.locator("#settings").is_visible()
    press(view, "Close this file")
    press(view, "Close the file")
    view.locator("#drop").wait_for()
    assert "removed" in view.locator("#notice").inner_text()


def test_a_change_is_kept_through_a_reload_and_can_be_undone(visit):
    view = visit()
    take_example(view)
    role = view.get_by_label("Role of turnover")
    assert role.input_value() == "confidential"
    role.select_option("quasi-identifier")
    wait_until_kept(view)
    view.reload()
    assert role.input_value() == "quasi-identifier"
    press(view, "Undo")
    view.locator("#undo[disabled]").wait_for()
    assert role.input_value() == "confidential"


def test_a_run_survives_a_reload_and_is_cancelled_in_the_middle(visit, server):
    view = visit()
    take_example(view, "survey")
    view.locator("#effort").select_option("search")
    view.locator("[id='effort:search:budget']").fill("600")
    run(view, "5")
    view.locator(".run.running").wait_for()
    view.reload()
    view.locator(".run.running progress").wait_for()
    view.locator("article").get_by_text(re.compile(r"Improving the groups: .*elapsed")).wait_for()
    press(view, "Cancel run 1")
    view.locator(".run.cancelled").wait_for()
    wait_for(lambda: not [f for folder in server.folders for f in folder.rglob("run-1")])
    run(view, "5")  # and the page is ready for more
    view.locator("article .progress").wait_for()
    press(view, "Cancel run 2")


def test_a_file_is_dropped(visit):
    view = visit()
    dropped = view.evaluate_handle(
        """() => {
          const held = new DataTransfer();
          held.items.add(new File(["a,b\\n1,2\\n3,4\\n"], "dropped file.csv"));
          return held;
        }"""
    )
    view.dispatch_event("#drop", "drop", {"dataTransfer": dropped})
    view.locator("html[data-ready] #settings").wait_for()
    assert view.locator("h1").inner_text() == "dropped file.csv"


def test_hostile_names_are_shown_and_not_executed(visit, tmp_path):
    view = visit()
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in HOSTILE)
    rows = "\n".join(",".join(str(i * index % 13) for index in range(1, 6)) for i in range(30))
    path = tmp_path / "<img src=x onerror=alert(1)>.csv"
    path.write_text(f"{quoted}\n{rows}\n")
    view.locator("#file").set_input_files(path)
    view.locator("html[data-ready] #settings").wait_for()
    for index in range(5):
        view.locator(f"[name='role:{index}']").select_option(
            "quasi-identifier" if index < 3 else ""
        )
    run(view, "3")
    view.locator(".run.done").wait_for()
    text = view.locator("main").inner_text()
    assert all(name in text for name in HOSTILE)
    assert view.title() == "Shoal: _img src_x onerror_alert_1__.csv"
    assert view.locator("main img, main script").count() == 0


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("line.csv", b"x" * 100_000_000, "a line of more than 32 MB"),
        ("commas.csv", b"a" + b",a" * 100_000 + b"\n1\n", "100,001 columns"),
        ("wide.csv", b"\n".join(WIDE), "600 columns"),
        ("name.csv", b"n" * 300 + b"\n1\n", "name of 300 characters"),
        ("binary.csv", bytes(range(256)) * 400, "binary.csv"),
        ("picture.xlsx", b"\x89PNG\r\n\x1a\n" + bytes(5000), "picture.xlsx"),
        ("empty.parquet", b"", "empty.parquet"),
        ("bomb.csv.gz", b"\x1f\x8b\x08\x00garbage", "bomb.csv.gz"),
        ("no.exe", b"MZ", "names no format"),
    ],
    ids=lambda value: value if isinstance(value, str) else "content",
)
def test_a_hostile_file_is_refused_in_words(visit, server, tmp_path, name, content, words):
    view = visit()
    path = tmp_path / name
    path.write_bytes(content)
    if name == "no.exe":  # the browser tells of the answer 400 by itself
        view.messages = Silent()
    view.locator("#file").set_input_files(path)
    view.locator("#message:not([hidden])").wait_for()
    text = view.locator("#message").inner_text()
    assert re.search(words, text), text
    assert len(text) < 500
    assert not re.search(r"Traceback|Unexpected error|/tmp", text)
    if name in ("line.csv", "commas.csv", "wide.csv", "name.csv"):  # perhaps read in another way
        press(view, "Remove the file")
        view.locator("#reading-form").wait_for(state="detached")
    assert not [path for folder in server.folders for path in folder.rglob(name)]


def test_two_browsers_do_not_see_each_other(visit, browser):
    mine, yours = visit(), visit()
    take_example(mine)
    assert yours.locator("#drop").count() == 1
    yours.reload()
    assert yours.locator("#drop").count() == 1
    answer = yours.context.request.get(mine.url)
    assert (answer.status, "sme" in answer.text()) == (403, False)
    stranger = browser.new_context()
    assert stranger.request.get(mine.url).status == 403
    stranger.close()


def test_two_tabs_of_one_browser_do_not_see_each_other(visit, server):
    mine = visit()
    take_example(mine)
    link = server.link()
    yours = mine.context.new_page()
    yours.goto(link)
    wait_for(lambda: server.link() != link)
    assert yours.locator("#drop").count() == 1
    mine.reload()
    assert mine.locator("h1").inner_text() == "sme.csv"
    end_session(yours)
    mine.reload()
    assert mine.locator("h1").inner_text() == "sme.csv"


def test_no_mouse_is_needed(visit):
    view = visit()
    tab_to(view, "e => e.textContent === 'sme'")
    view.keyboard.press("Enter")
    view.locator("html[data-ready] #settings").wait_for()
    tab_to(view, "e => e.id === 'k'")
    view.keyboard.type("3")
    view.keyboard.press("Enter")
    view.locator(".run.done").wait_for()
    assert view.evaluate("() => document.activeElement.id") == "k"  # where it was
    tab_to(view, "e => e.id === 'release-1'")


def tab_to(view, wanted):
    for _ in range(120):
        view.keyboard.press("Tab")
        if view.evaluate(f"() => ({wanted})(document.activeElement)"):
            return
    raise AssertionError("the keyboard does not lead there")


def test_every_field_has_an_accessible_name(visit):
    view = visit()
    take_example(view)
    press(view, "Details of surface")
    view.locator("#details-1 h3").wait_for()
    bare = "all => all.filter(e => !e.labels.length && !e.ariaLabel).map(e => e.name)"
    assert view.locator("input:not([type=hidden]), select, textarea").evaluate_all(bare) == []
    ids = view.locator("[id]").evaluate_all("all => all.map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_a_message_goes_with_the_next_action(visit, survey, tmp_path):
    view = visit()
    broken = tmp_path / "broken.csv"
    broken.write_bytes(b"a,b\n1\n")
    view.locator("#file").set_input_files(broken)
    message = view.locator("#message:not([hidden])")
    message.wait_for()
    view.get_by_role("button", name="End session", exact=True).click()
    assert message.count() == 0
    view.get_by_role("button", name="Keep working", exact=True).click()
    view.locator("#file").set_input_files(broken)
    message.wait_for()  # a new refusal is shown


def test_the_runs_fit_a_narrow_screen(visit):
    view = visit(viewport={"width": 390, "height": 800})
    take_example(view)
    run(view, "2, 3")
    view.locator(".run.done").nth(1).wait_for()
    table = view.locator(".wide:has(#compared)")
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
