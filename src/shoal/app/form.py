"""The settings form, generated from signatures, and the plans built from its values.

Fields are named by the index of a column or by a parameter, never by the name of a column, which is
data.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from shoal import _params as parameters
from shoal._params import Parameter
from shoal.errors import ParameterError
from shoal.frame.types import KINDS
from shoal.partitioners import METHODS, describe, partitioner
from shoal.partitioners.registry import EFFORTS
from shoal.plan import Plan
from shoal.steps import STEPS, Microaggregate, Step, describe_step

# Roles and what is done to a column; strata are quasi-identifiers that are not masked.
ROLES = {
    "": "no role: released, with a warning",
    "identifier": "identifier: dropped",
    "quasi-identifier": "quasi-identifier: masked",
    "stratum": "quasi-identifier: splits the groups",
    "confidential": "confidential: kept",
    "non-confidential": "non-confidential: kept",
    "unit": "unit: k counts its values; dropped",
    "household": "household: k counts households; dropped",
}
LABELS = {
    "k": "k",
    "what": "Step",
    "effort": "Effort after the method",
    "separator": "Separator",
    "decimal": "Decimal mark",
    "encoding": "Character set",
    "missing_text": "Sign for a missing value",
    "sheet": "Sheet of an Excel file",
    "shuffle": "Order of the records",
}  # of fields that the templates hold
MAX_K_VALUES = 12  # in one submission
NOT_GENERATED = {  # the form has other fields for these
    "columns", "partitioner", "within", "k", "method", "n_jobs",
}  # fmt: skip


@dataclass(frozen=True)
class Field:
    """One field of the form, for one parameter."""

    name: str
    label: str
    description: str
    choices: tuple[str, ...] = ()
    number: bool = False
    whole: bool = False
    least: float | None = None
    most: float | None = None
    default: str = ""


RULES = {"intervals": "numeric", "prefixes": "nominal", "periods": "date"}  # kinds of hierarchies
SHUFFLE = Field(
    "shuffle",
    LABELS["shuffle"],
    "The order of a table may reveal whose a record is.",
    choices=("as in the file", "random"),
    default="as in the file",
)


def fields(cls: type, prefix: str) -> list[Field]:
    """Return the fields for the parameters of ``cls``."""
    return [
        _field(parameter, f"{prefix}:{name}")
        for name, parameter in parameters.signature_parameters(cls).items()
        if name not in NOT_GENERATED
    ]


def catalogue() -> dict[str, Any]:
    """Return the content of the form, except for the columns."""
    methods = {name: cls for name, cls in METHODS.items() if name not in EFFORTS}
    return {
        "roles": ROLES,
        "kinds": KINDS,
        "methods": {name: describe(cls)["summary"] for name, cls in methods.items()},
        "efforts": {name: describe(cls)["summary"] for name, cls in EFFORTS.items()},
        "step": [SHUFFLE, *fields(Microaggregate, "step")],
        "steps": {name: describe_step(cls)["summary"] for name, cls in STEPS.items()},
        "grouping_steps": [n for n, cls in STEPS.items() if _takes("partitioner", cls)],
        "steps_with_k": [
            n for n, cls in STEPS.items() if _takes("partitioner", cls) or _takes("k", cls)
        ],
        "of_step": {
            name: fields(cls, f"step:{name}")
            for name, cls in STEPS.items()
            if cls is not Microaggregate
        },
        "of_method": {name: fields(cls, f"method:{name}") for name, cls in methods.items()},
        "of_effort": {name: fields(cls, f"effort:{name}") for name, cls in EFFORTS.items()},
    }


def page_wording(name: str, value: str | None) -> str:
    """Return an option as the page names it: by the label of its field.

    >>> page_wording("small_strata", '"merge"'), page_wording("missing_text", None)
    ("'Small strata' merge", "'Sign for a missing value'")
    >>> page_wording("shuffle", "True")
    "'Order of the records' random"
    """
    label = repr(LABELS.get(name, _label(name)))
    if name == SHUFFLE.name and value is not None:
        value = SHUFFLE.choices[value == "True"]
    return label if value is None else f"{label} {value.strip(chr(34))}"


def first_settings(columns: list[dict[str, Any]]) -> dict[str, str]:
    """Return the initial values of the form: suggested roles, the default method, and no k."""
    roles = {f"role:{at}": column["role"] or "" for at, column in enumerate(columns)}
    levels = {
        f"levels:{at}": "; ".join(
            f"{key}: {', '.join(map(str, parts))}" for key, parts in rule.items()
        )
        for at, column in enumerate(columns)
        if (rule := column.get("hierarchy"))
    }
    return {**roles, **levels, "what": Microaggregate.name, "k": "", "method": "auto", "effort": ""}


def known_only(settings: Mapping[str, str], columns: list[dict[str, Any]]) -> dict[str, str]:
    """Return the settings for which the form has a field."""
    names = {"what", "k", "method", "effort", *(field.name for field in _all_fields())}
    for at in range(len(columns)):
        names |= {f"role:{at}", f"kind:{at}", f"order:{at}", f"levels:{at}"}
    return {name: text.strip() for name, text in settings.items() if name in names}


def plans(settings: Mapping[str, str], columns: list[dict[str, Any]]) -> list[Plan]:
    """Return a plan for every k, or one if the step has none; refuse invalid settings."""
    step = settings.get("what") or Microaggregate.name
    if step not in STEPS:
        raise ParameterError(
            f"There is no step {step!r}. Choose one of: {', '.join(STEPS)}.", code="unknown-step"
        )
    names = [column["name"] for column in columns]
    sizes: list[int | None] = [*_k_values(settings)] if _has_k(STEPS[step]) else [None]
    return [_plan(settings, names, STEPS[step], k) for k in sizes]


def _has_k(cls: type) -> bool:
    return _takes("k", cls) or _takes("partitioner", cls)


def _takes(parameter: str, cls: type) -> bool:
    return parameter in parameters.signature_parameters(cls)


def _plan(settings: Mapping[str, str], columns: list[str], cls: type[Step], k: int | None) -> Plan:
    chosen = {name: settings.get(f"role:{at}", "") for at, name in enumerate(columns)}
    for role in chosen.values():
        if role not in ROLES:
            raise ParameterError(
                f"There is no role {role!r}. Choose one of: {', '.join(ROLES)}.",
                code="unknown-role",
            )
    masked = [name for name, role in chosen.items() if role == "quasi-identifier"]
    if not masked:
        raise ParameterError(
            "No column would be masked. Give the role quasi-identifier to what attackers may know.",
            code="nothing-masked",
        )
    strata = [name for name, role in chosen.items() if role == "stratum"]
    roles = {
        name: "quasi-identifier" if role == "stratum" else role or "unassigned"
        for name, role in chosen.items()
    }
    if strata and not _takes("within", cls):
        raise ParameterError(
            "The step takes no strata. Give another role to the columns that split the groups.",
            code="step-without-strata",
            columns=tuple(strata),
        )
    given = _read(cls, "step" if cls is Microaggregate else f"step:{cls.name}", settings)
    given |= {"columns": masked, **({"within": strata} if strata else {})}
    if _takes("partitioner", cls):
        given["partitioner"] = _partitioner(settings, k)
    elif k is not None:
        given["k"] = k
    step = parameters.build(cls, given)
    by_levels = cls.uses_hierarchies or given.get("aggregate") == "ancestor"
    shuffle = settings.get(SHUFFLE.name, SHUFFLE.default) == "random"
    types = _types(settings, columns)
    if by_levels:
        types |= _hierarchies(settings, types, {columns.index(name): name for name in masked})
    return Plan(roles, [step], types, shuffle=shuffle)


def _partitioner(settings: Mapping[str, str], k: int | None) -> Any:
    """Return the partitioner that the form chooses."""
    method, effort = settings.get("method", "auto"), settings.get("effort", "")
    options: dict[str, Any] = {"k": k, "effort": effort or None}
    if method in METHODS:
        options |= _read(METHODS[method], f"method:{method}", settings)
    if effort in EFFORTS:
        options |= _read(EFFORTS[effort], f"effort:{effort}", settings)
    grouping = partitioner(method, options)
    parameters.validate(grouping)
    return grouping


def _hierarchies(
    settings: Mapping[str, str], types: Mapping[str, Any], masked: Mapping[int, str]
) -> dict[str, Any]:
    """Return the types of masked columns whose levels are given, such as ``intervals: 5, 10``."""
    declared: dict[str, Any] = {}
    for at, name in masked.items():
        key, _, parts = settings.get(f"levels:{at}", "").partition(":")
        key = key.strip()
        if not key:
            continue
        if key not in RULES:
            raise ParameterError(
                f"Levels are written as intervals: 5, 10, as prefixes: 3, 1 or as periods: month,"
                f" year. Column {name!r} has others.",
                code="levels-not-a-rule",
                column=name,
            )
        words = [word.strip() for word in parts.split(",") if word.strip()]
        numbers = [_as_number(word) for word in words] if key != "periods" else words
        declared[name] = {"kind": RULES[key], key: numbers}
        own = types.get(name)
        if isinstance(own, str) and own != RULES[key]:
            declared[name]["kind"] = own
    return declared


def _as_number(word: str) -> Any:
    """Return a number; other words are refused with the type."""
    try:
        return int(word) if word.isdecimal() else float(word)
    except ValueError:
        return word


def _types(settings: Mapping[str, str], columns: list[str]) -> dict[str, Any]:
    types: dict[str, Any] = {}
    for at, name in enumerate(columns):
        kind, order = settings.get(f"kind:{at}", ""), settings.get(f"order:{at}", "")
        if kind == "ordinal" and order:
            types[name] = {"kind": kind, "order": [word.strip() for word in order.split(",")]}
        elif kind:
            types[name] = kind
    return types


def _k_values(settings: Mapping[str, str]) -> list[int]:
    words = settings.get("k", "").replace(",", " ").split()
    if not words or not all(word.isdecimal() and len(word) < 10 for word in words):
        raise ParameterError(
            "k is a whole number like 5, or several to compare, like 3, 5, 10.",
            code="k-not-a-number",
        )
    sizes = list(dict.fromkeys(int(word) for word in words))
    if len(sizes) > MAX_K_VALUES:
        raise ParameterError(
            f"{len(sizes)} values of k are too many at a time: try {MAX_K_VALUES}.",
            code="too-many-sizes",
            sizes=len(sizes),
        )
    return sizes


def _read(cls: type, prefix: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the parameters of ``cls`` whose fields were filled in."""
    given: dict[str, Any] = {}
    for name, parameter in parameters.signature_parameters(cls).items():
        text = settings.get(f"{prefix}:{name}", "")
        if name in NOT_GENERATED or not text:
            continue
        given[name] = parameter.parse(text)
        if not parameter.accepts(given[name]):
            raise ParameterError(
                f"{_label(name)} must be {parameter.expected}. Got {text!r}.",
                code="parameter-not-accepted",
                parameter=name,
            )
    return given


def _all_fields() -> Iterator[Field]:
    content = catalogue()
    yield from content["step"]
    for kind in ("of_step", "of_method", "of_effort"):
        for several in content[kind].values():
            yield from several


NOT_TYPED = (NoneType, *parameters.GENERATORS)  # cannot be entered in a field


def _field(parameter: Parameter, name: str) -> Field:
    parts = [
        part
        for part in parameters.union_members(parameter.annotation)
        if part not in NOT_TYPED and get_origin(part) is not Mapping
    ]
    label, description = _label(parameter.name), parameters.plain_text(parameter.description)
    default = "" if parameter.required or parameter.default is None else parameter.default
    text = str(default).lower() if isinstance(default, bool) else str(default)
    if parts == [bool]:
        return Field(name, label, description, choices=("false", "true"), default=text)
    if all(get_origin(part) is Literal for part in parts):
        words = tuple(str(word) for part in parts for word in get_args(part))
        return Field(name, label, description, choices=words, default=text)
    base, *rules = get_args(parts[0]) if get_origin(parts[0]) is Annotated else [parts[0]]
    if len(parts) > 1 or base not in (int, float):
        return Field(name, label, f"{description} Takes {parameter.expected}.", default=text)
    least = next((getattr(rule, "bound", getattr(rule, "low", None)) for rule in rules), None)
    most = next((getattr(rule, "high", None) for rule in rules), None)
    return Field(
        name,
        label,
        description,
        number=True,
        whole=base is int,
        least=least,
        most=most,
        default=text,
    )


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()
