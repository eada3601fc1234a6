"""The page with a table: what it shows before a run, its columns, steps and runs."""

import json

import pytest

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

STATE = "() => Object.fromEntries(new FormData(document.getElementById('settings')))"


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"income_{index}" for index in range(30)] + [f"age_{index}" for index in range(30)]
    rows = [",".join(str((row * index) % 7) for index in range(1, 61)) for row in range(12)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return path


def settings(view):
    return view.evaluate(STATE)


def test_rows_and_distributions_are_shown_before_a_run(visit):
    view = visit()
    take_example(view)
    assert view.locator(".cells").first.locator("tbody tr").count() == 5
    assert view.get_by_role("cell", name="3212334").is_visible()
    assert view.locator(".settings .spark").count() == 4
    assert view.locator(".settings .values").nth(1).inner_text() == "from 50 to 950, median 710"
    assert view.locator(".settings .values").first.inner_text() == "11 values, all different"


def test_wide_tables_are_filtered_and_many_columns_get_a_role_at_once(visit, wide):
    view = visit()
    load(view, wide)
    view.locator("#filter").fill("AGE_")
    assert view.locator("tr[data-column]:visible").count() == 30
    view.locator("#bulk").select_option("identifier")
    press(view, "Apply")
    wait_until_kept(view)
    chosen = settings(view)
    assert {chosen[f"role:{index}"] for index in range(30, 60)} == {"identifier"}
    assert "identifier" not in {chosen[f"role:{index}"] for index in range(30)}
    press(view, "Undo")
    view.locator("#undo[disabled]").wait_for()
    assert settings(view)["role:30"] != "identifier"


def test_pickers_and_roles_agree(visit):
    view = visit()
    take_example(view, "survey")
    view.get_by_label("Groups stay within").select_option(label="region")
    assert view.get_by_label("Role of region").input_value() == "stratum"
    view.get_by_label("Survey weight").select_option(label="weight")
    assert view.get_by_label("Role of weight").input_value() == "weight"
    view.get_by_label("What k counts").select_option("unit:0")
    assert view.get_by_label("Role of person").input_value() == "unit"
    assert view.locator("#k + .unit").inner_text() == "persons or firms or more"
    view.get_by_label("What k counts").select_option("record")
    assert view.get_by_label("Role of person").input_value() == ""
    assert view.locator("#k + .unit").inner_text() == "records or more"
    view.locator("[data-stratum]").click()
    wait_until_kept(view)
    view.reload()
    chosen = settings(view)
    assert (chosen["role:1"], chosen["role:4"], chosen["counts"]) == (
        "quasi-identifier",
        "weight",
        "record",
    )
    assert view.get_by_label("What k counts").input_value() == "record"


def test_details_steps_and_levels_from_a_file_reach_the_plan(visit, tmp_path):
    view = visit(accept_downloads=True)
    path, levels = tmp_path / "people.csv", tmp_path / "levels.csv"
    towns = ["A1", "A2", "B1", "B2"]
    rows = [
        f"{towns[number % 4]},{number % 9 + 20},{number:02}.0{number % 9 + 1}.2020"
        for number in range(1, 29)
    ]
    path.write_text("\n".join(["town,age,born", *rows, ""]))
    levels.write_text("".join(f"{town};{town[0]};*\n" for town in towns))
    load(view, path)
    for index in range(3):
        view.locator(f"[name='role:{index}']").select_option("quasi-identifier")
    press(view, "Details of born")
    assert view.locator("[id='format:2']").input_value() == "%d.%m.%Y"
    view.locator("[id='rule:2']").select_option("periods")
    view.locator("[id='levels:2:periods']").fill("year")
    press(view, "Details of age")
    view.locator("[id='codes:1']").fill("99")
    view.locator("[id='rule:1']").select_option("intervals")
    view.locator("[id='levels:1:intervals']").fill("5, 10")
    press(view, "Details of town")
    view.locator("[id='rule:0']").select_option("file")
    (tmp_path / "bad.csv").write_text("A1;A\nA1;B\n")
    view.messages = Silent()  # the browser reports the answer 400 by itself
    view.locator("[id='file:0']").set_input_files(tmp_path / "bad.csv")
    view.locator("#message:not([hidden])").get_by_text("row 2").wait_for()
    view.locator("[id='file:0']").set_input_files(levels)
    wait_until_kept(view)
    assert view.locator("[id='loaded:0']").inner_text() == "levels.csv: 4 values, 3 levels"
    view.locator("#step").select_option("top-bottom-code")
    view.get_by_label("Top threshold").fill("27")
    view.get_by_text("Columns of this step, and further steps").click()
    view.locator("[data-step-column='1']").check()
    press(view, "Add another step after this one")
    view.locator("html[data-ready]").get_by_text("Top and bottom coding: age").wait_for()
    view.locator("#step").select_option("generalise")
    view.locator("#k").fill("3")
    press(view, "Run")
    view.locator(".run.done").wait_for()
    plan = shoal.Plan.load(saved(view, "Plan of run 1", tmp_path))
    assert [(step.name, step.columns) for step in plan.steps] == [
        ("top-bottom-code", ["age"]),
        ("generalise", ["town", "age", "born"]),
    ]
    assert plan.types["born"].periods == ("year",)
    assert plan.types["age"].intervals == (5, 10)
    assert plan.types["town"].hierarchy[0] == ("A1", "A", "*")
    assert plan.missing_codes["age"] == ("99",)
    press(view, "Remove step 1")
    view.get_by_text("Top and bottom coding: age").wait_for(state="detached")


SLOW = """() => {
    const send = window.fetch;
    window.fetch = async (...request) => {
        const answer = await send(...request);
        await new Promise((go) => setTimeout(go, 300));
        return answer;
    };
}"""


def test_buttons_wait_until_changes_are_kept(visit):
    view = visit()
    take_example(view)
    view.evaluate(SLOW)
    view.locator("#step").select_option("top-bottom-code")
    view.get_by_label("Top threshold").fill("700")
    view.get_by_text("Columns of this step, and further steps").click()
    view.locator("[data-step-column='1']").check()
    view.get_by_role("button", name="Add another step after this one").dblclick()
    view.locator("html[data-ready]").get_by_text("Top and bottom coding: surface").wait_for()
    assert view.locator(".earlier li").count() == 2  # and the step of the form
    assert not view.locator("#message").is_visible()


def test_changes_wait_until_a_run_has_started(visit):
    view = visit()
    take_example(view)
    view.evaluate(SLOW)
    view.locator("#k").fill("3")
    view.get_by_role("button", name="Run", exact=True).dblclick()
    view.get_by_label("Role of turnover").select_option("quasi-identifier")
    view.locator(".run.done").wait_for()
    wait_until_kept(view)
    assert view.locator(".run").count() == 1
    assert not view.locator("#message").is_visible()
    view.reload()
    assert view.get_by_label("Role of turnover").input_value() == "quasi-identifier"


def test_levels_are_loaded_before_a_form_is_sent(visit, tmp_path):
    view = visit()
    path, levels = tmp_path / "people.csv", tmp_path / "levels.csv"
    path.write_text("town\n" + "A1\nA2\nB1\nB2\n" * 3)
    levels.write_text("A1;A\nA2;A\nB1;B\nB2;B\n")
    load(view, path)
    view.locator("[name='role:0']").select_option("quasi-identifier")
    view.locator("#step").select_option("generalise")
    view.locator("#k").fill("4")
    press(view, "Details of town")
    view.locator("[id='rule:0']").select_option("file")
    view.evaluate(SLOW)
    view.locator("[id='file:0']").set_input_files(levels)
    press(view, "Run")
    view.locator(".run.done").wait_for()


def test_a_page_is_not_left_while_a_change_is_sent(visit):
    view = visit()
    take_example(view)
    view.evaluate(SLOW)
    view.locator("#k").click()
    view.locator("#step").select_option("round")
    asked = "() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert view.evaluate(asked)
    wait_until_kept(view)
    assert not view.evaluate(asked)


def test_runs_are_named_sorted_found_on_the_map_and_deleted(visit, server):
    view = visit()
    take_example(view)
    run(view, "2, 4", "auto")
    view.locator(".run.done").nth(1).wait_for()
    assert "The automatic choice was" in view.locator("article").last.inner_text()
    assert "Recommended: run 2 (" in view.locator(".recommendation").inner_text()
    assert view.locator("#run-2 .badge").inner_text() == "recommended"
    assert view.locator("#run-1 .badge").inner_text() == "on the Pareto front"
    assert view.locator("#compared td", has_text="recommended").count() == 1
    assert view.locator("svg.broad .ring").count() == 1
    view.locator("#more-2 summary").click()
    view.locator("#name-2").fill("large <b>groups</b>")
    press(view, "Rename run 2")
    view.locator("#run-2").get_by_text("large <b>groups</b>").wait_for()
    assert view.locator("#more-2").get_attribute("open") is not None
    assert view.evaluate("() => document.activeElement.id") == "rename-2"
    labels = view.locator("svg.broad text").all_text_contents()
    assert "large <b>groups</b>" in labels
    first = view.locator("#compared tbody tr").first
    assert first.get_attribute("data-row") == "1"
    press(view, "Loss, %")
    press(view, "Loss, %")
    assert first.get_attribute("data-row") == "2"
    assert view.locator("th[aria-sort=descending]").inner_text().startswith("Loss")
    point = view.locator("svg.broad circle[data-run='2']")
    assert "large <b>groups</b>: loss" in point.locator("title").text_content()
    point.hover()
    assert "lit" in first.get_attribute("class")
    point.click()
    assert view.evaluate("() => document.activeElement.id") == "run-2"
    press(view, "Delete run 2")
    view.locator("#run-2").wait_for(state="detached")
    assert not [path for folder in server.folders for path in folder.rglob("run-2")]
    assert view.locator("figure svg, #compared, .badge").count() == 0  # one run is no comparison
    run(view, "3")
    view.locator("#run-3").wait_for()  # a number is used once


def test_focus_stays_and_announcements_are_sentences(visit):
    view = visit()
    take_example(view, "survey")
    view.evaluate(
        """() => {
          window.heard = [];
          const live = document.getElementById('live');
          new MutationObserver(() => window.heard.push(live.textContent)).observe(live, {
            childList: true,
          });
        }"""
    )
    run(view, "3", "auto")
    view.locator("#k").focus()
    view.locator(".run.done").wait_for()
    assert view.evaluate("() => document.activeElement.id") == "k"
    assert view.locator("[role=status] progress, [aria-live] progress").count() == 0
    wait_for(lambda: len(view.evaluate("() => window.heard")) > 0)
    heard = view.evaluate("() => window.heard")
    assert len(heard) <= 3
    assert all(text.endswith(".") and text.startswith("Run 1") for text in heard)
    assert "has finished. k = 3 is kept" in heard[-1]


def test_a_run_stays_in_view_and_the_others_queue(visit):
    view = visit(viewport={"width": 1000, "height": 500})
    take_example(view, "survey")
    for top in (0, 700, 100_000):
        view.evaluate(f"() => window.scrollTo(0, {top})")
        assert view.locator("#run").evaluate(
            "e => { const box = e.getBoundingClientRect(); return box.bottom <= innerHeight; }"
        )
    view.locator("#effort").select_option("search")
    view.locator("[id='effort:search:budget']").fill("600")
    run(view, "3, 4, 5")
    view.locator("#bar-progress").get_by_text("2 more waiting").wait_for()
    view.locator("article").get_by_text("waiting: 2nd in the queue").wait_for()
    for number in (3, 2, 1):
        press(view, f"Cancel run {number}")
    view.locator(".run.cancelled").nth(2).wait_for()
    view.locator("#bar-progress").wait_for(state="hidden")


def test_two_tabs_of_a_session_do_not_overwrite_each_other(visit):
    mine = visit()
    take_example(mine)
    yours = mine.context.new_page()
    yours.goto(mine.url)
    mine.get_by_label("Role of turnover").select_option("quasi-identifier")
    wait_until_kept(mine)
    mine.messages = Silent()  # the browser reports the answer 409 by itself
    with yours.expect_response("**/settings") as refused:
        yours.get_by_label("Role of surface").select_option("identifier")
    assert refused.value.status == 409
    yours.locator("#k").fill("3")
    press(yours, "Run")
    yours.get_by_role("button", name="Show the current state").wait_for()
    assert mine.locator(".run").count() == 0
    with yours.expect_navigation():
        press(yours, "Show the current state")
    yours.locator("html[data-ready] #settings").wait_for()
    assert yours.get_by_label("Role of turnover").input_value() == "quasi-identifier"
    assert yours.get_by_label("Role of surface").input_value() != "identifier"
    mine.get_by_label("Role of surface").select_option("identifier")
    wait_until_kept(mine)
    press(yours, "Undo")
    yours.locator("#message:not([hidden])").get_by_text("Another tab").wait_for()
    assert yours.get_by_label("Role of surface").input_value() == "identifier"
    other = mine.context.new_page()
    other.goto(mine.url)
    press(other, "Close this file")
    press(other, "Close the file")
    other.locator("#drop").wait_for()
    with mine.expect_response("**/settings") as late:
        mine.locator("#k").fill("4")
        mine.locator("#k").blur()
    assert late.value.status == 409
    assert json.loads(late.value.text())["reload"]
    wait_until_kept(mine)
    mine.reload()
    assert mine.locator("#drop").count() == 1


def test_the_session_ends_on_a_page_and_only_when_asked(visit):
    view = visit()
    press(view, "End session")
    press(view, "Keep working")
    assert view.locator("#drop").is_visible()
    last = "() => [...document.querySelectorAll('button, a, input')].at(-1).closest('dialog').id"
    assert view.evaluate(last) == "ask-end"
    end_session(view)
    assert view.evaluate("() => getComputedStyle(document.body).maxWidth") == "1280px"  # styled


# Choices whose words are cut off, because their list is too narrow.
CUT_OFF = """() => {
  const canvas = document.createElement("canvas").getContext("2d");
  const cut = [];
  for (const list of document.querySelectorAll("select")) {
    if (list.offsetParent === null) continue;
    const style = getComputedStyle(list);
    canvas.font = style.font;
    const arrow = 16;
    const room = list.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    for (const choice of list.options) {
      if (canvas.measureText(choice.text).width > room - arrow) cut.push(choice.text);
    }
  }
  return cut;
}"""


@pytest.mark.parametrize("width", [390, 1100])
def test_the_words_of_choices_are_not_cut_off(visit, width):
    view = visit(viewport={"width": width, "height": 900})
    take_example(view, "survey")
    steps = [choice.get_attribute("value") for choice in view.locator("#step option").all()]
    assert len(steps) > 5
    for step in steps:
        view.locator("#step").select_option(step)
        for summary in view.locator("details:not([open]) > summary").all():
            if summary.is_visible():
                summary.click()
        assert view.evaluate(CUT_OFF) == []


SHOW_PROGRESS = """(words) => {
  const part = document.getElementById("bar-progress");
  part.hidden = false;
  part.querySelector("span").textContent = words;
}"""


def test_run_stands_beside_the_progress_of_another_run(visit):
    view = visit(viewport={"width": 1100, "height": 900})
    take_example(view, "survey")
    for n_words in range(4, 16):
        view.evaluate(SHOW_PROGRESS, "improving " * n_words)
        button, *others = (
            view.locator(f"#{name}").bounding_box() for name in ("run", "bar-progress", "bar-words")
        )
        middle = button["y"] + button["height"] / 2
        assert all(box["y"] < middle < box["y"] + box["height"] for box in others), n_words
        assert button["x"] + button["width"] <= 1100
