"""Every written page is run, and shows what it says."""

import tomllib

import pytest

import pages
from shoal.partitioners import METHODS

TEXTS = {
    str(path.relative_to(pages.ROOT)): path.read_text(encoding="utf-8") for path in pages.written()
}
WITH_CODE = [
    name
    for name, text in TEXTS.items()
    if any(block.language in pages.RUN for block in pages.blocks(text))
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


@pytest.mark.parametrize("page", WITH_CODE)
def test_the_code_of_a_page_runs_and_shows_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    pages.run(page, TEXTS[page])


@pytest.mark.parametrize("page", TEXTS)
def test_a_block_says_what_it_is(page):
    for block in pages.blocks(TEXTS[page]):
        known = block.language in (*pages.RUN, *READ) or block.language.startswith("{")
        assert known, f"{page}:{block.line}: a block of {block.language!r} is neither run nor read"
        assert "code-block" not in block.language, f"{page}:{block.line}: it would not be run"
        runnable = block.language in pages.RUN or not block.text.startswith((">>> ", "$ shoal "))
        assert runnable, f"{page}:{block.line}: it can be run, so it must be"


@pytest.mark.parametrize("page", TEXTS)
def test_stated_output_follows_code(page):
    before = ""
    for block in pages.blocks(TEXTS[page]):
        if block.text.startswith(pages.TOLD):
            where = (
                f"{page}:{block.line}: output is compared where it follows python in a text block"
            )
            assert (before, block.language) == ("python", "text"), where
        before = block.language


@pytest.mark.parametrize("page", TEXTS)
def test_plans_and_settings_are_toml(page):
    for block in pages.blocks(TEXTS[page]):
        if block.language == "toml":
            tomllib.loads(block.text)
