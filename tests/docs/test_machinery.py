"""The functions that run the pages find what is wrong with them."""

import pytest

import markdown_pages
from making import access, gallery


def page(*blocks):
    return "\n\n".join(f"```{language}\n{text}\n```" for language, text in blocks)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*blocks):
    return markdown_pages.run("a page", page(*blocks))


def test_blocks_share_one_namespace_and_one_folder():
    names = run(
        ("python", "from pathlib import Path\na = 1"),
        ("pycon", ">>> b = a + 1\n>>> b\n2"),
        ("python", 'Path("table.csv").write_text("x\\n1\\n")\nc = b + 1'),
        ("console", "$ cat table.csv\nx\n1"),
    )
    assert names["c"] == 3


@pytest.mark.parametrize(
    "blocks",
    [
        [("python", "print(1)"), ("text", "# output\n2")],
        [("python", "print(1)"), ("text", "# output\n")],
        [("pycon", ">>> 1 + 1\n3")],
        [("pycon", ">>> undefined")],
        [("console", "$ echo one\ntwo")],
        [("console", "$ echo one")],
        [("console", "$ echo one\none\n$ echo two\n2")],
        [("console", "$ shoal mask no.csv out.csv -c a -k 3\ndone")],
        [("console", "$ shoal --version\nshoal 999")],
        [("console", "no prompt")],
        [("console", "$ make demo\n...")],
        [("console", "$ shoal mask no.csv out.csv -c a -k 3\n...\n$ echo $?\n0")],
    ],
)
def test_a_page_that_says_otherwise_fails(blocks):
    with pytest.raises(AssertionError):
        run(*blocks)


def test_code_that_fails_fails_at_its_line():
    with pytest.raises(ZeroDivisionError) as caught:
        run(("text", "one\ntwo"), ("python", "a = 1\na / 0"))
    assert caught.traceback[-1].lineno + 1 == 8


@pytest.mark.parametrize(
    "blocks",
    [
        [("python", "print(1, 2.3456)"), ("text", "# output\n1   2.3...")],
        [("python", "print(1)"), ("text", "not compared: no mark")],
        [("console", "$ shoal --version  # the version\nshoal ...")],
        [("console", "$ shoal \\\n    --version\nshoal ...")],
        [("console", "$ shoal --version | wc -l\n1")],
        [("console", "$ shoal mask no.csv out.csv -c a -k 3\nerror: ...\n$ echo $?\n1")],
        [("r", "sdcMicro::microaggregation()")],
    ],
)
def test_what_is_true_passes(blocks):
    run(*blocks)


def test_a_picture_is_drawn_from_what_the_page_computed():
    drawn = "picture, (axes,) = canvas()\naxes.plot(heights, color=BLUE)\naxes.set(xlabel=name)"
    names = run(("python", "heights, name = [1, 2], 'metres'"), ("{picture} Two heights.", drawn))
    (picture,) = names["pictures"]
    assert "<svg" in picture
    assert "metres" in picture
    assert "picture" not in names


def test_a_picture_that_is_not_drawn_is_an_error():
    with pytest.raises(KeyError):
        run(("{picture} Nothing.", "a = 1"))


def test_a_page_shows_its_pictures_in_the_place_of_their_code():
    text = page(
        ("python", "a = 1"), ("{picture} One.", "b"), ("text", "t"), ("{picture} Two.", "c")
    )
    shown = gallery.with_pictures("name", text)
    assert [line for line in shown.splitlines() if "image" in line] == [
        "```{image} name-0-light.svg", "```{image} name-0-dark.svg",
        "```{image} name-1-light.svg", "```{image} name-1-dark.svg",
    ]  # fmt: skip
    assert "*Two.*" in shown
    assert "picture" not in shown
    assert "a = 1" in shown


def test_colours_of_a_picture_change_on_a_dark_ground():
    assert gallery.on_dark("fill: #111111; stroke: #0072b2") == "fill: #e4e4e4; stroke: #56b4e9"


def test_blocks_in_lists_are_found():
    text = "1. First\n\n   ```python\n   a = 1\n   if a:\n       b = 2\n   ```\n"
    (block,) = markdown_pages.blocks(text)
    assert block.text == "a = 1\nif a:\n    b = 2\n"
    assert markdown_pages.run("a list", text)["b"] == 2


def test_a_long_name_may_be_broken_behind_an_underscore():
    code = '<td><code><span class="pre">{}</span></code></td>'
    assert access.mended(code.format("a_long_name")) == code.format("a_<wbr>long_<wbr>name")
    assert access.mended(code.format("short_name")) == code.format("short_name")
