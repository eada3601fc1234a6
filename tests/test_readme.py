"""The README's first screen is true."""

import re
from pathlib import Path

from typer.testing import CliRunner

from shoal.cli import app
from shoal.partitioners import METHODS

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


def test_the_readme_names_every_method():
    kinds = README.split("## Methods")[1].split("## ")[0]
    named = re.findall(r"`([a-z0-9-]+)`", kinds.split("\nConfidential")[0].split("|---|---|")[1])
    assert set(named) == set(METHODS)
