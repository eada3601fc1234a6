"""The settings form: its content, and the plans built from its values.

Names of fields contain the index of a column or a parameter, never the name of a column, which is
data.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from shoal import _params as parameters
from shoal.app import column_settings, labels
from shoal.app.field_descriptions import FIELDS
from shoal.app.fields import Field, make_fields, read_parameters
from shoal.errors import ParameterError
from shoal.frame.roles import RECORD_UNIT
from shoal.partitioners import METHODS, partitioner
from shoal.partitioners.registry import EFFORTS
from shoal.plan import Plan
from shoal.steps import STEPS, Microaggregate, Step

MAX_K_VALUES = 12  # values of k in one submission
MAX_EARLIER_STEPS = 20
# Settings of a step whose fields are not generated from a signature.
STEP_SETTINGS = ("step", "k", "method", "effort", "step_columns")
SHUFFLE = Field(
    "shuffle",
    FIELDS["shuffle"].label,
    FIELDS["shuffle"].help,
    kind="choice",
    choices=tuple(FIELDS["shuffle"].choices.items()),
    default="false",
)


@cache
def catalogue() -> dict[str, Any]:
    """Return the content of the form that does not depend on the table."""
    methods = {name: cls for name, cls in METHODS.items() if name not in EFFORTS}
    step_fields = make_fields(Microaggregate, Microaggregate.name, "step")
    return {
        "roles": labels.ROLES,
        "kinds": labels.KINDS,
        "methods": {name: labels.METHODS.get(name, _default_choice(name)) for name in methods},
        "efforts": {
            name: labels.EFFORTS.get(name, _default_choice(name))
            for name in ("", "quick", *EFFORTS)
        },
        "steps": {name: labels.STEPS.get(name, _default_choice(name)) for name in STEPS},
        "shuffle": SHUFFLE,
        "microaggregation_fields": {
            group: [field for field in step_fields if field.group == group]
            for group in dict.fromkeys(field.group for field in step_fields)
        },
        "grouping_steps": [
            name for name, cls in STEPS.items() if _has_parameter("partitioner", cls)
        ],
        "steps_with_k": [name for name, cls in STEPS.items() if _has_k(cls)],
        "step_fields": {
            name: make_fields(cls, name, f"step:{name}")
            for name, cls in STEPS.items()
            if cls is not Microaggregate
        },
        "method_fields": {
            name: make_fields(cls, name, f"method:{name}") for name, cls in methods.items()
        },
        "effort_fields": {
            name: make_fields(cls, name, f"effort:{name}") for name, cls in EFFORTS.items()
        },
    }


def _default_choice(name: str) -> labels.Choice:
    return labels.Choice(name, "")


def initial_settings(columns: list[dict[str, Any]]) -> dict[str, str]:
    """Return the initial values of the form, as the inspection suggests; k stays empty."""
    settings = {"step": Microaggregate.name, "k": "", "method": "auto", "effort": ""}
    settings |= column_settings.suggested_settings(columns)
    quasi_identifiers = [column for column in columns if column["role"] == "quasi-identifier"]
    if any(column.get("missing") or column.get("missing_codes") for column in quasi_identifiers):
        settings["step:missing"] = "own-groups"
    return settings


def select_known(settings: Mapping[str, str], columns: list[dict[str, Any]]) -> dict[str, str]:
    """Return the settings for which the form has a field."""
    names = {
        *STEP_SETTINGS,
        "counts",
        "earlier_steps",
        SHUFFLE.name,
        *(field.name for field in all_fields()),
    }
    names |= column_settings.field_names(len(columns))
    return {name: text.strip() for name, text in settings.items() if name in names}


def build_plans(
    settings: Mapping[str, str],
    columns: list[dict[str, Any]],
    hierarchies: Mapping[str, Any] | None = None,
) -> list[Plan]:
    """Return a plan for every k, or a single plan if the last step takes no k.

    Invalid settings are refused. ``hierarchies`` are those loaded from files; settings refer to
    them by their keys.
    """
    names = [column["name"] for column in columns]
    roles = column_settings.chosen_roles(settings, names)
    earlier = [
        _build_step({**settings, **earlier_settings}, names, roles)
        for earlier_settings in earlier_steps(settings)
    ]
    cls = _step_class(settings)
    k_values: list[int | None] = [*_k_values(settings)] if _has_k(cls) else [None]
    plans = []
    for k in k_values:
        steps = [*earlier, _build_step(settings, names, roles, k)]
        types = column_settings.declared_types(settings, names, steps, hierarchies or {})
        plans.append(
            Plan(
                {
                    name: "quasi-identifier" if role == "stratum" else role
                    for name, role in roles.items()
                },
                steps,
                types,
                unit=RECORD_UNIT if settings.get("counts") == RECORD_UNIT else None,
                shuffle=settings.get(SHUFFLE.name) == "true",
                missing_codes=column_settings.missing_codes(settings, names, steps),
            )
        )
    return plans


def earlier_steps(settings: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the settings of the steps before the one that the form shows."""
    try:
        steps = json.loads(settings.get("earlier_steps") or "[]")
    except ValueError:
        steps = None
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise ParameterError(
            "The earlier steps cannot be read. Remove them, and add them again.",
            code="steps-malformed",
        )
    if len(steps) > MAX_EARLIER_STEPS:
        raise ParameterError(
            f"A plan of the page can have at most {MAX_EARLIER_STEPS + 1} steps. Remove one.",
            code="too-many-steps",
        )
    return [{str(name): str(text) for name, text in step.items()} for step in steps]


def with_earlier_step(settings: Mapping[str, str], columns: list[dict[str, Any]]) -> dict[str, str]:
    """Return the settings with the step of the form before a new step; refuse an invalid step."""
    names = [column["name"] for column in columns]
    _build_step(settings, names, column_settings.chosen_roles(settings, names))
    step_settings = {name: text for name, text in settings.items() if _belongs_to_step(name)}
    other_settings = {name: text for name, text in settings.items() if not _belongs_to_step(name)}
    steps = [*earlier_steps(settings), step_settings]
    return {
        **other_settings,
        "step": Microaggregate.name,
        "method": "auto",
        "earlier_steps": json.dumps(steps),
    }


def without_earlier_step(settings: Mapping[str, str], index: int) -> dict[str, str]:
    """Return the settings without one of the earlier steps."""
    steps = earlier_steps(settings)
    return {**settings, "earlier_steps": json.dumps(steps[:index] + steps[index + 1 :])}


def describe_step(settings: Mapping[str, str], columns: list[dict[str, Any]]) -> str:
    """Return a line that describes a step: its label, its columns and its k."""
    name = settings.get("step") or Microaggregate.name
    chosen_indices = _indices(settings.get("step_columns", ""), len(columns))
    column_names = ", ".join(columns[i]["name"] for i in chosen_indices) or "all masked columns"
    k = (
        f", k = {settings['k']}"
        if settings.get("k") and name in catalogue()["steps_with_k"]
        else ""
    )
    label = labels.STEPS[name].label if name in labels.STEPS else name
    return f"{label}: {column_names}{k}"


def _belongs_to_step(name: str) -> bool:
    return name in STEP_SETTINGS or name.startswith(("step:", "method:", "effort:"))


def _step_class(settings: Mapping[str, str]) -> type[Step]:
    step = settings.get("step") or Microaggregate.name
    if step not in STEPS:
        step_labels = ", ".join(choice.label for choice in labels.STEPS.values())
        raise ParameterError(f"Choose one of these steps: {step_labels}.", code="unknown-step")
    return STEPS[step]


def _build_step(
    settings: Mapping[str, str], columns: list[str], roles: Mapping[str, str], k: int | None = None
) -> Step:
    cls = _step_class(settings)
    if k is None and _has_k(cls):
        k = _k_values(settings)[0]
    options = _step_options(cls, settings, columns, roles)
    if _has_parameter("partitioner", cls):
        options["partitioner"] = _build_partitioner(settings, k)
    elif k is not None:
        options["k"] = k
    step: Step = parameters.build(cls, options)
    return step


def _step_options(
    cls: type[Step], settings: Mapping[str, str], columns: list[str], roles: Mapping[str, str]
) -> dict[str, Any]:
    """Return the parameters of a step except for k and its partitioner."""
    quasi_identifiers = [name for name, role in roles.items() if role == "quasi-identifier"]
    if not quasi_identifiers:
        raise ParameterError(
            "No column would be masked. Give the role quasi-identifier to what attackers may know.",
            code="nothing-masked",
        )
    chosen_columns = [columns[i] for i in _indices(settings.get("step_columns", ""), len(columns))]
    strata = [name for name, role in roles.items() if role == "stratum"]
    if strata and not _has_parameter("within", cls):
        raise ParameterError(
            "This step cannot split the groups by a column. Give another role to the columns that"
            " split the groups.",
            code="step-without-strata",
            columns=tuple(strata),
        )
    step_fields = catalogue()["step_fields"].get(cls.name) or [
        field
        for group_fields in catalogue()["microaggregation_fields"].values()
        for field in group_fields
    ]
    options = read_parameters(cls, step_fields, settings)
    options["columns"] = chosen_columns or quasi_identifiers
    if strata:
        options["within"] = strata
    for name, values in column_settings.options_by_column(
        settings, columns, options["columns"]
    ).items():
        if name == "importance":
            name = "column_weights" if _has_parameter("column_weights", cls) else name
        if _has_parameter(name, cls):
            options[name] = _values_by_column(values, options.get(name), options["columns"])
    return options


def _values_by_column(
    values: dict[str, Any], common_value: Any, columns: list[str]
) -> dict[str, Any]:
    """Return values by column; columns without a value get ``common_value`` unless it is None."""
    if common_value is None or isinstance(common_value, Mapping):
        return values
    return {**dict.fromkeys(columns, common_value), **values}


def _indices(text: str, n_columns: int) -> list[int]:
    """Return the indices of the columns that a step is limited to; none stands for all."""
    # Longer numbers are out of range anyway, and Python refuses to parse very long ones.
    numbers = [int(word) for word in text.split() if word.isdecimal() and len(word) < 6]
    return [number for number in numbers if number < n_columns]


def _has_k(cls: type) -> bool:
    return _has_parameter("k", cls) or _has_parameter("partitioner", cls)


def _has_parameter(parameter: str, cls: type) -> bool:
    return parameter in parameters.signature_parameters(cls)


def _build_partitioner(settings: Mapping[str, str], k: int | None) -> Any:
    """Return the partitioner that the form chooses."""
    method, effort = settings.get("method") or "auto", settings.get("effort", "")
    method_fields, effort_fields = catalogue()["method_fields"], catalogue()["effort_fields"]
    options: dict[str, Any] = {"k": k, "effort": effort or None}
    if method in METHODS:
        options |= read_parameters(METHODS[method], method_fields.get(method, ()), settings)
    if effort in EFFORTS:
        options |= read_parameters(EFFORTS[effort], effort_fields[effort], settings)
    chosen_partitioner = partitioner(method, options)
    parameters.validate(chosen_partitioner)
    return chosen_partitioner


def _k_values(settings: Mapping[str, str]) -> list[int]:
    texts = settings.get("k", "").replace(",", " ").split()
    # Longer numbers exceed the size of any table, and Python refuses to parse very long ones.
    if not texts or not all(text.isdecimal() and len(text) < 10 for text in texts):
        raise ParameterError(
            "“k” must be a whole number like 5, or several to compare, like 3, 5, 10.",
            code="k-not-a-number",
        )
    k_values = list(dict.fromkeys(int(text) for text in texts))
    if len(k_values) > MAX_K_VALUES:
        raise ParameterError(
            f"{len(k_values):,} values of k are too many at a time. Try at most {MAX_K_VALUES}.",
            code="too-many-sizes",
            sizes=len(k_values),
        )
    return k_values


def all_fields() -> Iterator[Field]:
    """Yield every generated field."""
    for name in ("microaggregation_fields", "step_fields", "method_fields", "effort_fields"):
        for fields in catalogue()[name].values():
            yield from fields
