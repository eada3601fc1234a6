"""A page for every partitioner, from its docstring, the registry and what was measured."""

from collections.abc import Iterator
from pathlib import Path

from making import costs, docstrings, example, figures, ideas
from making.grid import grid
from shoal.partitioners import METHODS, Partitioner

NO_FIGURES = "The [reproduced papers](../papers/README.md) print no figures of this method."
OURS = "No paper: developed for Shoal. [Its gap to the optimum](../quality.md) was measured."


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every page."""
    yield "methods/index.md", index()
    for name, cls in METHODS.items():
        yield f"methods/{name}.md", page(root, name, cls)


def index() -> str:
    """Return the index of all methods."""
    rows = [
        [
            f"[`{name}`]({name}.md)",
            cls.facts.groups,
            f"{example.loss(example.grouped(name).labels_):.2f}"
            + ("" if example.grouped(name).k == example.K else " (k = 2)"),
            cls.facts.cost,
            cls.facts.guarantee or "",
        ]
        for name, cls in METHODS.items()
    ]
    head = ["Method", "Group sizes", "Loss on the example, %", "Time grows with", "Proven"]
    toctree = "\n".join(METHODS)
    return f"""# Methods

Every method forms groups of at least k records. The pages show each of them on one small table of
{len(example.table())} records and two columns, with k = {example.K}, where the minimum loss is
{example.least(example.K):.2f} %. One small table shows how a method works, not how good it is: for
that see [information loss](../quality.md) and [costs](../costs.md).

{grid(head, rows)}

{gallery()}

```{{toctree}}
:hidden:

{toctree}
```
"""


def gallery() -> str:
    """Return the drawings of all methods side by side."""
    links = [f'<a href="{name}.html"><b>{name}</b>{ideas.drawing(name)}</a>' for name in METHODS]
    return "\n".join(["```{raw} html", '<div class="gallery">', *links, "</div>", "```"])


def page(root: Path, name: str, cls: type[Partitioner]) -> str:
    """Return the page of one method."""
    document, notes = docstrings.read(cls), docstrings.notes(cls)
    parts = [
        f"(method-{name})=\n# {name}",
        docstrings.rst(document["Summary"]),
        ideas.picture(name),
        docstrings.rst(document["Extended Summary"]),
        f"## Steps\n\n{docstrings.rst(notes.pop('Steps'))}",
        f"## Guarantee\n\n{docstrings.rst(notes.pop('Guarantee'))}",
        f"## Cost\n\n{docstrings.rst(notes.pop('Cost'))}\n\n{costs.table(root, 'method', name)}",
        *(f"## {head}\n\n{docstrings.rst(text)}" for head, text in notes.items()),
        f"## Published and reproduced\n\n{figures.of_method(root, name) or NO_FIGURES}",
        f"## Paper\n\n{_papers(root, cls)}",
        f"## In Python\n\n{_reference(cls)}",
    ]
    return "\n\n".join(parts) + "\n"


def _papers(root: Path, cls: type[Partitioner]) -> str:
    keys = docstrings.keys(cls)
    return "\n".join(f"- {docstrings.spelled_out(root, key)}" for key in keys) or OURS


def _reference(cls: type[Partitioner]) -> str:
    return (
        f"```{{eval-rst}}\n.. currentmodule:: shoal.partitioners\n\n.. autoclass:: {cls.__name__}"
        "\n```\n\nIt has the methods of every {py:class}`~shoal.partitioners.Partitioner`. Its"
        " parameters have the same names in a plan, in `--set name=value` and on the web page."
    )
