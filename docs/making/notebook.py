"""The example notebook, executed in a kernel, as a page with its outputs."""

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

SOURCE = "examples/protect_a_survey.ipynb"
PAGE = "start/notebook.md"
TIMEOUT = 600  # seconds for a cell, on a slow machine


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the page."""
    yield PAGE, f"---\nhide-toc: true\n---\n\n{text(execute(root))}"  # wide tables


def execute(root: Path) -> Any:
    """Return the notebook with the outputs of its cells."""
    notebook = nbformat.read(root / SOURCE, as_version=4)
    paths = [str(root / "src"), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    env["PYTHONWARNINGS"] = "ignore::UserWarning"  # what is warned of, the verdict shows
    NotebookClient(notebook, timeout=TIMEOUT, kernel_name="python3").execute(env=env)
    return notebook


def text(notebook: Any) -> str:
    """Return a notebook as a page in Markdown."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        else:
            parts.append(f"```python\n{cell.source}\n```")
            parts += [shown for output in cell.outputs if (shown := _output(output))]
    link = f"[protect_a_survey.ipynb](../../{SOURCE})"
    title, rest = parts[0].split("\n\n", 1)
    note = f"The notebook {link} with its outputs; sections of an output open with a click."
    return "\n\n".join([title, note, rest, *parts[1:]]) + "\n"


def _output(output: Any) -> str:
    """Return an output of a cell as HTML, a picture or text; the text may be empty."""
    if output.output_type == "stream":
        return f"```text\n{output.text}```"
    data = output.get("data", {})
    if data.get("text/html"):
        lines = data["text/html"].splitlines()
        html = "\n".join(line for line in lines if line.strip())
        html = html.replace('<table border="1" class="dataframe">', '<table class="docutils">')
        return _raw(f'<div class="table-wrapper">\n{html}\n</div>')
    if "image/png" in data:
        picture = base64.b64encode(base64.b64decode(data["image/png"])).decode()
        address = f"data:image/png;base64,{picture}"
        return _raw(f'<img alt="Plot" style="max-width: 100%" src="{address}">')
    return f"```text\n{data['text/plain']}\n```" if data.get("text/plain") else ""


def _raw(html: str) -> str:
    return f"```{{raw}} html\n{html}\n```"
