"""Loading a file: what is recognised, what is kept when it is refused, and cancelling."""

import openpyxl
import pytest

import shoal
from app_process import wait_for
from page_actions import Silent, load, press

GERMAN = "größe;name\n1,5;a\n2,5;b\n3,5;c\n4,25;d\n".encode("latin-1")


def test_what_is_recognised_is_filled_in_and_shown(visit, tmp_path):
    view = visit()
    path = tmp_path / "german.csv"
    path.write_bytes(GERMAN)
    view.locator("#missing").evaluate("e => e.closest('details').open = true")
    view.locator("#missing").fill("NA")
    view.locator("#file").set_input_files(path)
    view.locator("html[data-ready] #reading-form").wait_for()
    fields = {name: view.locator(f"#{name}").input_value() for name in FIELDS}
    assert fields == {"separator": ";", "decimal": ",", "encoding": "latin-1", "missing": "NA"}
    assert "a semicolon between cells" in view.locator("#notice").inner_text()
    assert view.locator("#lines td").all_inner_texts()[:4] == ["größe", "name", "1,5", "a"]
    with view.expect_response("**/lines?*"):
        view.locator("#separator").fill("|")
    view.locator("#lines").get_by_role("cell", name="größe;name").wait_for()
    view.locator("#separator").fill(";")
    press(view, "Read the file")
    view.locator("html[data-ready] #settings").wait_for()
    assert view.locator(".settings .values").first.inner_text() == "from 1.5 to 4.25, median 3"


FIELDS = ("separator", "decimal", "encoding", "missing")


def test_a_refused_file_keeps_its_fields_and_is_read_in_another_way(visit, tmp_path):
    view = visit()
    path = tmp_path / "ragged.csv"
    path.write_text("a,b\n1,2\n3\n")
    view.locator("#missing").evaluate("e => e.closest('details').open = true")
    view.locator("#missing").fill("NA")
    view.locator("#encoding").fill("latin-1")
    view.locator("#file").set_input_files(path)
    view.locator("#message:not([hidden])").get_by_text("Line 3").wait_for()
    assert "“Separator”" in view.locator("#message").inner_text()
    assert view.locator("#missing").input_value() == "NA"
    assert view.locator("#encoding").input_value() == "latin-1"
    assert view.locator("#lines td").count() == 5
    view.locator("#separator").fill(";")
    view.locator("#encoding").fill("hex")
    press(view, "Read the file")
    view.get_by_text("There is no character encoding 'hex'").wait_for()
    assert view.locator("#separator").input_value() == ";"
    view.locator("#encoding").fill("")
    press(view, "Read the file")
    view.locator("html[data-ready] #settings").wait_for()
    assert view.locator("h1").inner_text() == "ragged.csv"
    assert view.locator("tr[data-column]").count() == 1


def test_a_wrong_field_is_refused_and_the_file_can_be_sent_again(visit, tmp_path):
    view = visit()
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    view.messages = Silent()  # the browser reports the answer 400 by itself
    view.locator("#separator").evaluate("e => e.closest('details').open = true")
    view.locator("#separator").fill(",,")
    view.locator("#file").set_input_files(path)
    view.locator("#message:not([hidden])").wait_for()
    assert view.locator("#separator").input_value() == ",,"
    view.locator("#separator").fill(",")
    press(view, "Send the file again")
    view.locator("html[data-ready] #settings").wait_for()


def test_sending_can_be_cancelled(visit, server, tmp_path):
    view = visit()
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    held = []

    def hold_the_first(route):
        """Answer all requests but the first; `unroute` might still send that one."""
        if held:
            route.continue_()
        held.append(route)

    view.route("**/file?*", hold_the_first)
    view.locator("#file").set_input_files(path)
    press(view, "Cancel")
    view.get_by_text("Sending was cancelled").wait_for()
    press(view, "Send the file again")
    view.locator("html[data-ready] #settings").wait_for()


def test_another_file_can_be_sent_after_one_was_cancelled_halfway(visit, server, tmp_path):
    view = visit()
    long, short = tmp_path / "long.csv", tmp_path / "short.csv"
    long.write_text("a,b\n" + 200_000 * "1,2\n")
    short.write_text("c,d\n1,2\n3,4\n")
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 50_000}
    network = view.context.new_cdp_session(view)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", slow)
    view.locator("#file").set_input_files(long)
    wait_for(lambda: any(path.stat().st_size for path in server.folder.rglob("*.part")))
    press(view, "Cancel")
    view.get_by_text("Sending was cancelled").wait_for()
    wait_for(lambda: not list(server.folder.rglob("*.part")))
    network.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": -1})
    load(view, short)
    assert view.get_by_role("heading", name="short.csv").count() == 1


def test_a_sheet_is_chosen_from_a_list(visit, tmp_path):
    view = visit()
    path = tmp_path / "book.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["a"])
    second = book.create_sheet("second")
    for row in (["b", "c"], [2, 3], [4, 5]):
        second.append(row)
    book.save(path)
    view.locator("#file").set_input_files(path)
    view.locator("#message:not([hidden])").wait_for()
    view.locator("#sheet").select_option("second")
    press(view, "Read the file")
    view.locator("html[data-ready] #settings").wait_for()
    assert view.locator("tr[data-column]").count() == 2


@pytest.mark.parametrize("name", ["survey.parquet"])
def test_other_formats_are_read_at_once(visit, tmp_path, name):
    view = visit()
    shoal.datasets.survey(60).to_parquet(tmp_path / name)
    load(view, tmp_path / name)
    assert view.locator("#reading-form").count() == 0
