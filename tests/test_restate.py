"""docs/restate.py replaces the stated output of a page by that of its code."""

import importlib.util
from pathlib import Path

_path = Path(__file__).parents[1] / "docs" / "restate.py"
_spec = importlib.util.spec_from_file_location("restate", _path)
restate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(restate)

PAGE = """\
```python
print(1 + 1)
print("word " * 30)
```

```text
# output
{text}
```

```console
$ echo one
{console}
```
"""


def test_only_differences_are_rewritten(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    monkeypatch.chdir(tmp_path)
    page.write_text(PAGE.format(text="3", console="one"))
    restate.main([str(page)])
    lines = page.read_text().splitlines()
    assert lines[7:10] == ["2", " ".join(["word"] * 20), " ".join(["word"] * 10)]
    assert capsys.readouterr().out == "page.md: 1 differ\n"
    before = page.read_text()
    restate.main([str(page)])
    assert page.read_text() == before
    assert capsys.readouterr().out == "page.md: 0 differ\n"


def test_ellipses_are_left_to_the_author(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(text="2\n...", console="two ..."))
    before = page.read_text()
    restate.main([str(page)])
    assert page.read_text() == before
    assert "left to you:\ntwo ...\nshown:\none" in capsys.readouterr().out
