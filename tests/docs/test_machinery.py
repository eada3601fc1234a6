"""What runs the pages finds what is wrong with them."""

import pytest

import pages


def page(*blocks):
    return "\n\n".join(f"```{language}\n{text}\n```" for language, text in blocks)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*blocks):
    return pages.run("a page", page(*blocks))


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


def test_blocks_in_lists_are_found():
    text = "1. First\n\n   ```python\n   a = 1\n   if a:\n       b = 2\n   ```\n"
    (block,) = pages.blocks(text)
    assert block.text == "a = 1\nif a:\n    b = 2\n"
    assert pages.run("a list", text)["b"] == 2
