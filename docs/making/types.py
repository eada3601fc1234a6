"""Names of types in docstrings, and where they lead: to our reference, or to another project's."""

from typing import Any

from docutils import nodes
from numpydoc.xref import DEFAULT_LINKS

from making.reference import OBJECTS
from shoal.partitioners import METHODS
from shoal.steps import STEPS

PYTHON = "https://docs.python.org/3/library"
ELSEWHERE = {
    "bool": f"{PYTHON}/functions.html#bool",
    "bytes": f"{PYTHON}/stdtypes.html#bytes",
    "dict": f"{PYTHON}/stdtypes.html#dict",
    "float": f"{PYTHON}/functions.html#float",
    "int": f"{PYTHON}/functions.html#int",
    "list": f"{PYTHON}/stdtypes.html#list",
    "path": f"{PYTHON}/pathlib.html",
    "set": f"{PYTHON}/stdtypes.html#set",
    "str": f"{PYTHON}/stdtypes.html#str",
    "tuple": f"{PYTHON}/stdtypes.html#tuple",
    "ndarray": "https://numpy.org/doc/stable/reference/generated/numpy.ndarray.html",
    "pandas": "https://pandas.pydata.org/docs/reference/frame.html",
    "polars": "https://docs.pola.rs/api/python/stable/reference/dataframe/index.html",
    "pyarrow": "https://arrow.apache.org/docs/python/generated/pyarrow.Table.html",
    "RandomState": "https://numpy.org/doc/stable/reference/random/legacy.html",
}
OUTSIDE = "outside."  # no name of ours begins like this


def aliases() -> dict[str, str]:
    """Return the full name of every type that may occur in a docstring."""
    ours = {name: f"{module}.{name}" for module, names in OBJECTS.items() for name in names}
    ours |= {cls.__name__: f"shoal.partitioners.{cls.__name__}" for cls in METHODS.values()}
    ours |= {cls.__name__: f"shoal.steps.{cls.__name__}" for cls in STEPS.values()}
    words = {name: name for name in DEFAULT_LINKS}  # no links to inventories that are not there
    return words | ours | {name: OUTSIDE + name for name in ELSEWHERE}


def add_to(app: Any) -> None:
    """Let Sphinx link the types of other projects, without asking these for an inventory."""
    app.connect("missing-reference", _elsewhere)


def _elsewhere(app: Any, env: Any, node: Any, content: nodes.Node) -> nodes.reference | None:
    del app, env
    address = ELSEWHERE.get(node["reftarget"].removeprefix(OUTSIDE))
    if address is None:
        return None
    return nodes.reference("", "", content, internal=False, refuri=address)
