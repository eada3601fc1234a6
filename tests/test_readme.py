"""The README's first screen is true."""

import re
from pathlib import Path

from typer.testing import CliRunner

from shoal.cli import app

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_make_demo_shows_what_the_readme_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["demo"]).stdout
    assert shown in re.sub(r"(?m)^    ", "", README)
    assert {"release.csv", "report.html", "plan.toml"} <= {p.name for p in Path("demo").iterdir()}


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    release = names["release"]
    claimed = re.search(r'"information_loss"\]\s+# ([\d.]+?)\.\.\. per cent', README)[1]
    assert str(release.measures["information_loss"]).startswith(claimed)
    assert f"# {release.measures['smallest_class']}, counted" in README
    assert Path("report.html").exists()


def test_the_commands_of_the_readme_exist():
    for command in re.findall(r"(?m)^    shoal (\w+)", README):
        done = CliRunner().invoke(app, [command, "--help"])
        assert done.exit_code == 0
