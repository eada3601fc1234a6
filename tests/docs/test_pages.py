"""Every written page is run, and shows what it says."""

import re
import tomllib

import pytest

import clusters
import markdown_pages
from shoal.partitioners import METHODS

TEXTS = {
    str(path.relative_to(markdown_pages.ROOT)): path.read_text(encoding="utf-8")
    for path in markdown_pages.list_pages()
}
# The gallery is run when the site is built, by test_site.py.
WITH_CODE = [
    name
    for name, text in TEXTS.items()
    if any(block.language in markdown_pages.RUN for block in markdown_pages.blocks(text))
    and not name.startswith("docs/gallery/")
]
# What else a block may be written in. A new language needs a thought: must it be run?
READ = ("text", "toml", "csv", "r", "java", "yaml", "ini", "make")


@pytest.fixture(autouse=True)
def _methods_stay():
    """Forget the methods that a page adds, as a page on adding one does."""
    kept = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(kept)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_CODE)
def test_the_code_of_a_page_runs_and_shows_what_the_page_says(page, tmp_path, monkeypatch):
    clusters.fork_workers()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    markdown_pages.run(page, TEXTS[page])


@pytest.mark.parametrize("page", [name for name in TEXTS if name.startswith("docs/gallery/")])
def test_figures_in_the_prose_of_the_gallery_are_shown_by_its_code(page):
    prose = markdown_pages.FENCE.sub("", TEXTS[page])
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|(?m:^\d+\. )", " ", prose)
    run = "".join(block.text for block in markdown_pages.blocks(TEXTS[page]))
    stated, shown = (set(re.findall(r"\d[\d.,]*\d|\d", text)) for text in (prose, run))
    assert stated <= shown


@pytest.mark.parametrize("page", TEXTS)
def test_a_block_says_what_it_is(page):
    for block in markdown_pages.blocks(TEXTS[page]):
        known = block.language in (*markdown_pages.RUN, *READ) or block.language.startswith("{")
        assert known, f"{page}:{block.line}: a block of {block.language!r} is neither run nor read"
        assert "code-block" not in block.language, f"{page}:{block.line}: it would not be run"
        has_prompt = block.text.startswith((">>> ", "$ shoal "))
        assert block.language in markdown_pages.RUN or not has_prompt, (
            f"{page}:{block.line}: it can be run, so it must be"
        )


@pytest.mark.parametrize("page", TEXTS)
def test_stated_output_follows_code(page):
    before = ""
    for block in markdown_pages.blocks(TEXTS[page]):
        if block.text.startswith(markdown_pages.OUTPUT_MARK):
            where = (
                f"{page}:{block.line}: output is compared where it follows python in a text block"
            )
            assert (before, block.language) == ("python", "text"), where
        before = block.language


@pytest.mark.parametrize("page", TEXTS)
def test_plans_and_settings_are_toml(page):
    for block in markdown_pages.blocks(TEXTS[page]):
        if block.language == "toml":
            tomllib.loads(block.text)
