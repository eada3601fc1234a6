"""Every page passes the rules of axe-core, in light and dark colours and on a narrow screen."""

import pytest

import accessibility
from page_actions import end_session, press, run, take_example
from shoal.app import views
from shoal.app.sessions import BackgroundTask

LOOKS = [("light", 1280), ("dark", 375)]
NAMES = """async () => (await axe.run(document, {
  runOnly: { type: "rule", values: ["label-content-name-mismatch"] },
})).violations.flatMap((rule) => rule.nodes.map((node) => node.html))"""
OPEN = "all => all.forEach(e => { e.open = true; })"


def check(view, width):
    """Assert that a page breaks no rule, and is not wider than its window."""
    assert accessibility.violations(view) == {}
    assert view.evaluate(NAMES) == []  # an experimental rule, which is off by default
    assert view.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_every_page_passes(visit, tmp_path, scheme, width):
    view = visit(color_scheme=scheme, viewport={"width": width, "height": 900})
    view.locator("details").evaluate_all(OPEN)
    check(view, width)
    address = view.url
    reading = views.page(
        "reading.html",
        message="",
        notice="",
        revision=1,
        name="a.csv",
        task=BackgroundTask(state="running"),
    )
    view.route(address, lambda route: route.fulfill(body=reading, content_type="text/html"))
    view.route("**/state", lambda route: None)
    view.reload()
    view.locator("#reading").wait_for()
    check(view, width)
    view.goto("about:blank")  # an answer about the state would reload the page
    view.unroute(address)
    view.unroute("**/state")
    view.goto(address)
    path = tmp_path / "odd.csv"
    path.write_bytes("größe;name\n1,5;a\n2,5;b\n".encode("latin-1"))
    view.locator("#file").set_input_files(path)
    view.locator("#reading-form").wait_for()
    check(view, width)
    take_example(view)
    press(view, "Details of surface")
    view.locator("#details-1 h3").wait_for()
    view.locator("#step").select_option("recode")
    check(view, width)
    view.locator("#step").select_option("microaggregate")
    view.locator("#effort").select_option("search")
    view.locator("[id='effort:search:budget']").fill("600")
    run(view, "3, 20")
    view.locator(".run.running").wait_for()
    view.locator("details").evaluate_all(OPEN)
    check(view, width)
    press(view, "Cancel run 1")
    view.locator("#effort").select_option("")
    run(view, "2, 3")
    view.locator(".run.done").nth(1).wait_for()
    view.locator(".run.failed").wait_for()
    view.locator("details").evaluate_all(OPEN)
    check(view, width)
    press(view, "End session")
    check(view, width)
    press(view, "Keep working")
    end_session(view)
    check(view, width)


def test_the_first_stop_of_the_keyboard_leads_to_the_content(visit):
    view = visit()
    view.keyboard.press("Tab")
    assert view.evaluate("() => document.activeElement.textContent") == "Skip to the content"
    view.keyboard.press("Enter")
    assert view.evaluate("() => document.activeElement.id") == "main"
