"""Print the lowest versions that pyproject.toml allows, as constraints for pip.

They cover the dependencies, the extras, and what the tests themselves import.
"""

import re
import tomllib
from pathlib import Path

TEST_TOOLS = ("hypothesis", "polars", "pytest")
# Later versions of click and pyparsing warn of what typer 0.16 and matplotlib 3.9 use, and the
# tests treat warnings as errors.
PINNED = ["click==8.2.1", "pyparsing==3.2.3"]

pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
project, development = pyproject["project"], pyproject["dependency-groups"]["dev"]
extras = [name for names in project["optional-dependencies"].values() for name in names]
tools = [name for name in development if isinstance(name, str) and name.startswith(TEST_TOOLS)]
for requirement in [*project["dependencies"], *extras, *tools]:
    name, lowest = re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?>=([\d.]+)", requirement).groups()
    print(f"{name}=={lowest}")
print(*PINNED, sep="\n")
