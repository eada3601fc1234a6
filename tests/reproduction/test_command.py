"""``python -m reproduction``, with a paper that takes no time."""

import sys

import pytest
from typer.testing import CliRunner

from reproduction import papers
from reproduction.__main__ import app
from reproduction.figure import Figure, Panel, Series
from reproduction.page import Claim, Claims, Page
from shoal import _progress as progress


def shell(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def claim():
    return Claims("Claims", "", (Claim("It holds.", "It does.", True),))


def figure():
    return Figure("one-figure-1", "Figure 1", "", (Panel("", "", "", (Series("a", [0], [1]),)),))


@pytest.fixture
def sections(monkeypatch):
    """Return the functions that compute the sections of the only paper there is."""
    actual = [claim, figure]
    page = Page("one", "One paper", "Authors.", "About.")
    monkeypatch.setattr(papers, "PAPERS", {"one": papers.Paper(page, actual)})
    monkeypatch.setattr("reproduction.contents.contents", lambda: {"one": ()})
    monkeypatch.setattr(papers, "methods_text", lambda: "# Methods\n")
    return actual


def test_one_page_for_each_paper_and_one_that_leads_to_them(tmp_path, sections):
    result = shell(tmp_path / "new" / "folder")
    assert result.exit_code == 0
    sentence = "1 of 1 claims hold; 1 figures drawn."
    assert result.stdout == f"{tmp_path / 'new' / 'folder' / 'one'}.md: {sentence}\n"
    names = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert names == {"one.md", "README.md", "contents.md", "methods.md", "one-figure-1.svg"}


def test_existing_files_are_replaced_only_on_request(tmp_path, sections):
    (tmp_path / "one.md").write_text("old")
    refused = shell(tmp_path)
    assert (refused.exit_code, (tmp_path / "one.md").read_text()) == (1, "old")
    assert "--force" in refused.stderr
    assert shell(tmp_path, "--force", "--quiet").stdout == ""
    assert (tmp_path / "one.md").read_text().startswith("# One paper")


def test_a_single_paper_leaves_the_others_and_the_index(tmp_path, sections):
    assert shell(tmp_path, "--only", "one").exit_code == 0
    assert not (tmp_path / "README.md").exists()
    result = shell(tmp_path, "--only", "tow")
    assert result.exit_code == 2
    assert "There is no paper 'tow'." in result.stderr
    assert "Choose one of: one." in result.stderr


def test_without_matplotlib_the_way_out_is_named_before_any_work(tmp_path, sections, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    sections.insert(0, lambda: pytest.fail("work began"))
    result = shell(tmp_path / "folder")
    assert result.exit_code == 1
    assert 'pip install "shoal[plots]"' in result.stderr
    assert not (tmp_path / "folder").exists()


def test_an_interrupt_leaves_no_files(tmp_path, sections):
    def interrupted():
        raise KeyboardInterrupt

    sections.append(interrupted)
    result = shell(tmp_path)
    assert result.exit_code == 130
    assert list(tmp_path.iterdir()) == []


def test_an_impossible_folder_is_an_error(tmp_path, sections):
    (tmp_path / "file").write_text("")
    result = shell(tmp_path / "file" / "folder")
    assert result.exit_code == 1
    assert "cannot be a folder" in result.stderr


def test_progress_is_reported(sections):
    reports = []
    with progress.reporting_to(lambda *report: reports.append(report)):
        papers.make_page("one")
    assert reports == [("one", 0, 2), ("one", 1, 2), ("one", 2, 2)]
