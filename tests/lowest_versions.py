"""Print the lowest versions that pyproject.toml allows, as constraints for pip.

They are those of the dependencies, of the extras, and of what the tests themselves import.
"""

import re
import tomllib
from pathlib import Path

TESTING = ("hypothesis", "polars", "pytest")
# Warnings are errors in the tests: typer 0.16 uses what later versions of click warn of, and
# matplotlib 3.9 what later versions of pyparsing warn of.
BEFORE = ["click==8.2.1", "pyparsing==3.2.3"]

pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
project, developers = pyproject["project"], pyproject["dependency-groups"]["dev"]
extras = [name for names in project["optional-dependencies"].values() for name in names]
tools = [name for name in developers if isinstance(name, str) and name.startswith(TESTING)]
for requirement in [*project["dependencies"], *extras, *tools]:
    name, lowest = re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?>=([\d.]+)", requirement).groups()
    print(f"{name}=={lowest}")
print(*BEFORE, sep="\n")
