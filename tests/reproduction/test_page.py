"""Published figures beside ours: when they agree, and how a page says so."""

from dataclasses import replace

import pytest

from reproduction import markdown
from reproduction.figure import Figure, Panel, Series
from reproduction.page import Claim, Claims, Comparison, NumberTable, Page, Table, as_printed
from reproduction.plots import draw

PRINTED = as_printed("k=3 k=4", "MDAV  5.69  7.51\nMDAV-2, old  1.00  -")
OURS = {
    ("MDAV", "k=3"): 5.6922,
    ("MDAV", "k=4"): 7.4947,
    ("MDAV-2, old", "k=3"): 0.996,
    ("MDAV-2, old", "k=4"): 2.0,
}
TABLE = Table.of("Table 1", "How.", PRINTED, OURS, {("MDAV", ""): "Another tail."})


def test_a_printed_table_keeps_every_digit():
    assert PRINTED["MDAV-2, old", "k=3"] == "1.00"
    with pytest.raises(ValueError, match="zip"):
        as_printed("k=3 k=4", "MDAV  5.69")


@pytest.mark.parametrize(
    ("published", "ours", "agrees_rounded", "cuts"),
    [
        ("5.69", 5.6922, True, True),
        ("7.494", 7.4947, False, True),
        ("7.495", 7.4947, True, True),
        ("7.51", 7.4947, False, False),
        ("-0.5", -0.54, True, True),
        ("-0.5", -0.56, False, True),
        ("-0.5", -0.61, False, False),
        ("46", 45.75, True, True),
        ("45", 45.75, False, True),
        ("0.0000", 1e-12, True, True),
        ("22", 21.999999999999996, True, True),
        ("-", 3.0, True, True),
    ],
)
def test_figures_agree_to_the_digits_printed(published, ours, agrees_rounded, cuts):
    cell = Comparison("row", "column", published, ours)
    assert cell.agrees is agrees_rounded
    assert replace(cell, may_be_cut=True).agrees is cuts


def test_a_note_may_stand_for_a_cell_a_row_a_column_or_all():
    notes = {("", ""): "all", ("", "k=4"): "column", ("MDAV", ""): "row", ("MDAV", "k=3"): "cell"}
    table = Table.of("", "", PRINTED, OURS, notes)
    assert [cell.note for cell in table.comparisons] == ["cell", "row", "all", "column"]


def test_a_table_shows_printed_figures_ours_the_differences_and_the_reasons():
    assert markdown.section_text(TABLE) == (
        "## Table 1\n\n"
        "How.\n\n"
        "|  |  | k=3 | k=4 |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| MDAV | published | 5.69 | 7.51 |\n"
        "|  | ours | 5.692 | 7.495 |\n"
        "|  | difference | = | -0.02 [1] |\n"
        "| MDAV-2, old | published | 1.00 | - |\n"
        "|  | ours | 0.996 | 2.000 |\n"
        "|  | difference | = |  |\n\n"
        "- [1] Another tail.\n"
    )


def test_cut_figures_and_inputs_are_marked_and_counted_as_such():
    printed = as_printed("a b c", "row  1.23  1.23  7")
    ours = {("row", "a"): 1.229, ("row", "b"): 1.239, ("row", "c"): 7.0}
    table = Table.of("Table 9: x", "", printed, ours, may_be_cut=[("row", "b")], inputs=["c"])
    assert "|  | difference | = | = cut | input |" in markdown.section_text(table)
    assert not Table.of("", "", printed, ours).comparisons[1].agrees
    page = Page("p", "Title", "Authors.", "About.", (table,))
    assert markdown.result_sentence(page) == (
        "2 of 2 printed figures reproduced to the digit (1 rounded, 1 cut)."
    )
    page = replace(page, sections=(table, replace(table, title="Table 10: y")))
    assert "Table 9 2 of 2, Table 10 2 of 2." in markdown.result_sentence(page)


def test_a_claim_may_fail_on_the_tables_of_the_paper_itself():
    assert Claim("a", "b", True, "Ignored.").verdict == "holds"
    assert Claim("a", "b", False, "Why.", holds_in_print=False).verdict == (
        "not on its own tables either. Why."
    )


def test_no_difference_is_claimed_if_the_data_are_not_known():
    text = markdown.section_text(replace(TABLE, uses_other_data=True))
    assert "difference" not in text
    assert "Another tail." not in text


def test_whole_numbers_stay_whole():
    table = Table.of("", "", as_printed("n", "cells  93"), {("cells", "n"): 93})
    assert "|  | ours | 93 |" in markdown.section_text(table)


def test_a_page_counts_agreements_and_differences():
    claims = (Claim("a", "b", True), Claim("c", "d", False, "Because."))
    figure = Figure("f", "Figure 1", "Caption.", ())
    page = Page("p", "Title", "Authors.", "About.", (TABLE, Claims("C", "", claims), figure))
    sentence = "2 of 3 printed figures reproduced to the digit; 1 of 2 claims hold;"
    assert markdown.result_sentence(page) == f"{sentence} 1 figures drawn."
    text = markdown.page_text(page)
    assert "| a | b | holds |" in text
    assert "| c | d | does not hold. Because. |" in text
    assert "![Figure 1](f.svg)" in text
    assert "\n\n\n" not in text
    assert f"| [Title](p.md) | {sentence} 1 figures drawn. |" in markdown.index_text([page])


def test_numbers_of_ours_are_a_table():
    text = markdown.section_text(NumberTable("N", ("λ = 0",), {"k = 5": [0.12345]}))
    assert text == "### N\n\n|  | λ = 0 |\n| --- | --- |\n| k = 5 | 0.1235 |\n"


def test_the_same_figure_gives_the_same_bytes():
    lines = (Series("k = 5", (0, 1), (0.5, 0.25), "o-"), Series("k = 10", (0, 4), (0.5, 0.3)))
    panel = Panel("(b)", "$D_X$", "$D_Y$", lines, diagonal=True, x_max=3)
    figure = Figure("f", "Figure 1", "", (panel, panel))
    content = draw(figure)
    assert draw(figure) == content
    assert content.startswith(b"<?xml")
    assert b"k = 10" in content  # text stays text
    assert b"<dc:date>" not in content
