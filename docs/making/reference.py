"""The reference: every public name, from its docstring."""

from collections.abc import Iterator
from pathlib import Path

from making.grid import grid
from shoal import datasets, errors
from shoal.metrics import MEASURES
from shoal.partitioners import METHODS
from shoal.steps import STEPS

FUNCTIONS = (
    "microaggregate", "partition", "assess", "attack", "utility", "compare", "advise", "verify",
    "lower_bound", "inspect", "show_progress",
)  # fmt: skip
OBJECTS = {
    "shoal": ("Plan", "Release"),
    "shoal.frame.types.hierarchy": ("Hierarchy",),
    "shoal.metrics.limits": ("Limits", "Limit", "LimitResult", "LimitResults"),
    "shoal.inspection": ("Inspection",),
    "shoal.partitioners": ("Partition", "Partitioner", "ClosenessFirst"),
    "shoal.comparison": ("Comparison", "Trial", "Advice", "AdvisedTrial"),
    "shoal.metrics.attacks": ("Attacks", "AttackResult"),
    "shoal.metrics.analyses": ("Utility", "AnalysisResult"),
    "shoal.metrics.subgroups": ("Subgroups",),
    "shoal.metrics": ("FrequencyEstimate",),
    "shoal.metrics.survey": ("SurveyRisk",),
    "shoal.metrics.survey.suda": ("Suda",),
    "shoal.audit": ("Check",),
    "shoal.scale": ("LargeRelease", "Runner", "ProcessPool", "SparkRunner"),
}

SURVEY = {
    "shoal.metrics.survey": ("survey_risk",),
    "shoal.metrics.survey.individual_risk": (
        "key_frequencies", "individual_risk", "household_risk",
    ),
    "shoal.metrics.survey.population_uniqueness": ("population_uniqueness",),
    "shoal.metrics.survey.log_linear": ("log_linear_risk",),
    "shoal.metrics.survey.suda": ("suda", "dis_risk"),
}  # fmt: skip


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every page."""
    del root
    yield "reference/index.md", index()
    more = [_members("shoal.scale", "function", ["mask", "lower_bound", "released_files"])]
    more.append(_members("shoal.partitioners", "function", ["register"]))
    more.append(_members("shoal.metrics", "function", ["estimate_frequencies"]))
    more += [_members(module, "function", names) for module, names in SURVEY.items()]
    functions = [_page("Functions", "shoal", "function", FUNCTIONS), *more]
    yield "reference/functions.md", "\n\n".join(functions) + "\n"
    objects = [_members(module, "class", names) for module, names in OBJECTS.items()]
    yield "reference/objects.md", "\n\n".join(["# Objects", *objects]) + "\n"
    steps = [step.__name__ for step in STEPS.values()]
    yield "reference/steps.md", _page("Steps of a plan", "shoal.steps", "class", steps)
    tables = [name for name in datasets.__all__ if callable(getattr(datasets, name))]
    yield "reference/datasets.md", _page("Tables", "shoal.datasets", "function", tables)
    yield "reference/errors.md", errors_page()


def index() -> str:
    """Return the index of all names."""
    rows = [
        *([f"{{py:func}}`shoal.{name}`", "function"] for name in FUNCTIONS),
        ["{py:class}`shoal.Plan`", "steps over the columns of a table"],
        ["{py:class}`shoal.Release`", "the result of running a plan on a table"],
        [
            "{py:class}`shoal.Hierarchy <shoal.frame.types.hierarchy.Hierarchy>`",
            "how values become coarser",
        ],
        ["{py:class}`shoal.Limits <shoal.metrics.limits.Limits>`", "demands on figures"],
        ["`shoal.METHODS`", f"{len(METHODS)} partitioners by name: [methods](../methods/index.md)"],
        ["`shoal.MEASURES`", f"{len(MEASURES)} measures by name: [measures](../measures/index.md)"],
        ["`shoal.STEPS`", f"{len(STEPS)} steps by name: [steps](steps.md)"],
        ["{py:class}`shoal.Microaggregate <shoal.steps.Microaggregate>`", "the main step"],
        ["{py:func}`shoal.scale.mask`", "a table [larger than memory](../large-tables.md)"],
        ["`shoal.scale`", "the package for large tables"],
        ["`shoal.datasets`", "[tables](datasets.md) for examples and tests"],
    ]
    return f"""# Reference

Every name below can be imported from `shoal`.

{grid(["Name", "Meaning"], rows)}

```{{toctree}}
:maxdepth: 1

functions
objects
steps
datasets
errors
commands
codes
```
"""


def _members(module: str, kind: str, names: tuple[str, ...] | list[str]) -> str:
    options = dict.fromkeys(names, "\n   :members:" if kind == "class" else "")
    if "Plan" in options:  # its columns are described in a base class
        options["Plan"] += "\n   :inherited-members:"
    blocks = "\n\n".join(f".. auto{kind}:: {name}{options[name]}" for name in names)
    return f"```{{eval-rst}}\n.. currentmodule:: {module}\n\n{blocks}\n```"


def _page(title: str, module: str, kind: str, names: tuple[str, ...] | list[str]) -> str:
    return f"# {title}\n\n{_members(module, kind, names)}\n"


def errors_page() -> str:
    """Return the page of exceptions and warnings."""
    names = [name for name, thing in vars(errors).items() if isinstance(thing, type)]
    blocks = "\n\n".join(f".. autoexception:: {name}" for name in names)
    return (
        "# Errors and warnings\n\nA message says what is wrong, gives the number and suggests what"
        " to do. It never contains a value from the data.\n\n"
        f"```{{eval-rst}}\n.. currentmodule:: shoal.errors\n\n{blocks}\n```\n"
    )
