"""The plan document: a plan as plain data, TOML or JSON."""

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal import _params as parameters
from shoal._params import hint
from shoal._seeds import DrawnSeed
from shoal.errors import FileError, ParameterError, PlanError
from shoal.frame.edits import Edit
from shoal.frame.missing_codes import as_missing_codes
from shoal.frame.roles import RECORD_UNIT
from shoal.frame.types import Type, as_types
from shoal.io.publish import Publication
from shoal.metrics.limits import Limits
from shoal.partitioners import METHODS, Partitioner, method_name, partitioner
from shoal.partitioners import to_entry as partitioner_entry
from shoal.plan.definition.limits import as_limits
from shoal.plan.thresholds import Thresholds, as_thresholds
from shoal.steps import STEPS, GroupingStep, Step

VERSION = 1
PARTITION = "partition"  # key of the parameter ``partitioner``, which is accepted as well
# By step, the names of parameters in plans of older versions, and the present names.
RENAMED_PARAMETERS = {"round": {"way": "mode"}}
KEYS = (
    "version", "unit", "other_columns", "shuffle", "random_state", "edits", "repair", "roles",
    "types", "missing_codes", "thresholds", "limits", "steps",
)  # fmt: skip


def to_dict(
    roles: Mapping[str, str],
    steps: Sequence[Step],
    types: Mapping[str, Type],
    *,
    thresholds: Thresholds | None = None,
    unit: str | None = None,
    other_columns: str = "refuse",
    shuffle: bool = False,
    random_state: int | None = None,
    missing_codes: Mapping[str, Sequence[str]] | None = None,
    edits: Sequence[Edit] = (),
    repair: str | None = None,
    limits: Limits | None = None,
) -> dict[str, Any]:
    """Return the parameters of a plan as a document; those with their defaults are left out."""
    type_entries = {name: declared.to_entry() for name, declared in types.items()}
    changed_thresholds = {} if thresholds is None else parameters.non_default_parameters(thresholds)
    return {
        "version": VERSION,
        **({"unit": unit} if unit == RECORD_UNIT else {}),
        "other_columns": other_columns,
        **({"shuffle": True} if shuffle else {}),
        **({} if random_state is None else {"random_state": random_state}),
        **({"edits": [edit.text for edit in edits]} if edits else {}),
        **({} if repair is None else {"repair": repair}),
        "roles": dict(roles),
        **({"types": type_entries} if type_entries else {}),
        **({"missing_codes": _as_lists(missing_codes)} if missing_codes else {}),
        **({"thresholds": changed_thresholds} if changed_thresholds else {}),
        **({"limits": limits.to_dict()} if limits else {}),
        "steps": [_step_entry(step) for step in steps],
    }


def from_dict(entries: Mapping[str, Any], folder: Path | None = None) -> dict[str, Any]:
    """Return the parameters of a plan from a document; refuse unknown keys and values.

    Files that types name must be in ``folder``; without a folder, types cannot name files.
    """
    _check_keys(entries, KEYS, "The plan")
    version = entries.get("version")
    if version is None:
        raise PlanError(
            f"The plan states no version. Write version = {VERSION}.",
            code="plan-version",
            version=None,
        )
    if version != VERSION:
        raise PlanError(
            f"The plan has version {version!r}; this version of Shoal reads version {VERSION} only."
            " Use the version of Shoal that wrote the plan.",
            code="plan-version",
            version=version,
        )
    roles = _parse_roles(entries)
    if folder is None:
        _refuse_files(entries.get("types"))
    steps = _parse_steps(entries)
    thresholds = as_thresholds(entries.get("thresholds"))
    unit = entries.get("unit")
    if not isinstance(unit, str | None):
        raise PlanError('The plan\'s unit must be a column, or "record".', code="plan-unit")
    try:
        types = as_types(entries.get("types"), folder)
        missing_codes = as_missing_codes(entries.get("missing_codes"))
    except ParameterError as error:
        raise PlanError(error.template, code=error.code, **error.attributes) from None
    return {
        "roles": roles,
        "steps": steps,
        "types": types,
        "thresholds": thresholds,
        "unit": unit,
        "other_columns": entries.get("other_columns", "refuse"),
        "shuffle": entries.get("shuffle", False),
        "random_state": entries.get("random_state"),
        "missing_codes": missing_codes,
        "edits": entries.get("edits", ()),
        "repair": entries.get("repair"),
        "limits": as_limits(entries.get("limits")),
    }


def _parse_roles(entries: Mapping[str, Any]) -> dict[str, str]:
    roles = entries.get("roles", {})
    if not isinstance(roles, Mapping):
        raise PlanError("The plan's roles must be a table: column = role.", code="roles-no-mapping")
    return dict(roles)


def _parse_steps(entries: Mapping[str, Any]) -> list[Step]:
    steps = entries.get("steps", [])
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        raise PlanError(
            "The plan's steps must be a list of tables: [[steps]].", code="steps-not-accepted"
        )
    return [_parse_step(step, f"Step {i}") for i, step in enumerate(steps, start=1)]


def _as_lists(codes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {name: list(entries) for name, entries in codes.items()}


def _refuse_files(types: Any) -> None:
    """Refuse types that name a file, if the plan has no folder."""
    if not isinstance(types, Mapping):
        return
    if any(
        isinstance(declared.get(key), str)
        for declared in types.values()
        if isinstance(declared, Mapping)
        for key in ("hierarchy", "distances")
    ):
        raise PlanError(
            "A type of the plan names a file, and the plan has no folder. Give the rows instead.",
            code="plan-names-file",
        )


def load(path: Path) -> dict[str, Any]:
    """Read a document from a TOML or JSON file."""
    read = {".toml": tomllib.loads, ".json": json.loads}.get(path.suffix.lower())
    if read is None:
        raise FileError(
            f"A plan is a .toml or .json file; {path.name!r} is neither.",
            code="plan-ending",
            file=path.name,
        )
    try:
        entries = read(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError.unreadable(path, error) from None
    except ValueError as error:  # includes UnicodeDecodeError, TOMLDecodeError and JSONDecodeError
        reason = str(error) if not isinstance(error, UnicodeError) else "it is not UTF-8"
        raise PlanError(
            f"{path.name!r} cannot be read as a plan: {reason}.",
            code="plan-unreadable",
            file=path.name,
        ) from None
    except RecursionError:
        raise PlanError(
            f"{path.name!r} cannot be read as a plan: tables and lists are nested too deeply.",
            code="plan-unreadable",
            file=path.name,
        ) from None
    if not isinstance(entries, dict):
        raise PlanError(
            f"{path.name!r} is not a plan: a plan has version, roles and steps.",
            code="plan-unreadable",
            file=path.name,
        )
    return entries


def save(entries: Mapping[str, Any], path: Path, *, force: bool = False) -> None:
    """Write a document to a TOML or JSON file."""
    with Publication(force=force) as publication:
        publication.add(path).write_text(dumps(entries, path.suffix.lower()), encoding="utf-8")


def dumps(entries: Mapping[str, Any], suffix: str = ".toml") -> str:
    """Return a document as TOML or JSON text."""
    if suffix == ".json":
        return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
    if suffix == ".toml":
        import tomli_w

        return tomli_w.dumps(_reveal_seeds(entries))
    raise FileError(f"A plan is a .toml or .json file; {suffix!r} is neither.", code="plan-ending")


def without_drawn_seeds(entry: Any) -> Any:
    """Return a document without the seeds that a run drew; seeds that its author wrote stay."""
    if isinstance(entry, Mapping):
        seedless = {
            name: value for name, value in entry.items() if not isinstance(value, DrawnSeed)
        }
        return {name: without_drawn_seeds(value) for name, value in seedless.items()}
    return [without_drawn_seeds(value) for value in entry] if isinstance(entry, list) else entry


def _reveal_seeds(entry: Any) -> Any:
    """Return a document in which drawn seeds are plain integers, so that they are written."""
    if isinstance(entry, Mapping):
        return {name: _reveal_seeds(value) for name, value in entry.items()}
    if isinstance(entry, list):
        return [_reveal_seeds(value) for value in entry]
    return int(entry) if isinstance(entry, DrawnSeed) else entry


def _step_entry(step: Step) -> dict[str, Any]:
    """Return a step as an entry of a document."""
    entry = {"method": step.name} | {
        PARTITION if name == "partitioner" else name: value
        for name, value in parameters.non_default_parameters(step).items()
    }
    if not isinstance(step, GroupingStep):
        return entry
    entry_of_partitioner = partitioner_entry(step.partitioner)
    name = entry_of_partitioner["method"]
    if name not in METHODS:
        raise PlanError(
            f"{name} is not a registered method, so a document cannot name it. Register it first:"
            f' shoal.partitioners.register("...", {name}).',
            code="method-not-registered",
            method=name,
        )
    return entry | {PARTITION: _as_plain(entry_of_partitioner)}


def _as_plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with arrays as lists."""
    return {
        name: value.tolist() if hasattr(value, "tolist") else value
        for name, value in options.items()
    }


def _parse_step(entry: Mapping[str, Any], culprit: str) -> Step:
    """Return a step from its entry in a document; errors begin with ``culprit``."""
    options = dict(entry)
    method = options.pop("method", None)
    if method is None:
        _refuse_misspelt_method(options, culprit)
        raise PlanError(
            f"{culprit} has no method. The methods of a step are: {', '.join(STEPS)}.",
            code="unknown-step",
            given=None,
        )
    if not isinstance(method, str) or method not in STEPS:
        raise PlanError(
            f"{culprit} has the method {method!r}.{hint(str(method), STEPS)} The methods of a step"
            f" are: {', '.join(STEPS)}.",
            code="unknown-step",
            given=method,
        )
    for old_name, new_name in RENAMED_PARAMETERS.get(method, {}).items():
        if old_name in options and new_name not in options:
            options[new_name] = options.pop(old_name)
    is_grouping = issubclass(STEPS[method], GroupingStep)
    if is_grouping and PARTITION not in options and "partitioner" in options:
        options[PARTITION] = options.pop("partitioner")
    keys = parameters.signature_parameters(STEPS[method])
    _check_keys(options, [PARTITION if key == "partitioner" else key for key in keys], culprit)
    try:
        if is_grouping:
            options["partitioner"] = _parse_partitioner(options.pop(PARTITION, None), culprit)
        step: Step = parameters.build(STEPS[method], options, f"the step {method!r}")
        return step
    except ParameterError as error:
        raise PlanError(
            f"{culprit}: {error.template}", code=error.code, **error.attributes
        ) from None


def _parse_partitioner(entry: object, culprit: str) -> Partitioner:
    """Return the partitioner of a step from its entry in a document."""
    if isinstance(entry, Mapping) and "method" not in entry:
        _refuse_misspelt_method(entry, f"The partition of {culprit[:1].lower() + culprit[1:]}")
    if not isinstance(entry, Mapping) or "method" not in entry:
        raise PlanError(
            f'{culprit} needs partition = {{ method = "...", k = ... }}.', code="partition-missing"
        )
    options = dict(entry)
    result = partitioner(options.pop("method"), options)
    parameters.validate(result, f"the method {method_name(result)!r}")
    return result


def _refuse_misspelt_method(entries: Mapping[str, Any], culprit: str) -> None:
    for key in entries:
        if similar := hint(str(key), ["method"]):
            raise PlanError(
                f"{culprit} has the unknown key {key!r}.{similar}", code="unknown-key", key=key
            )


def _check_keys(entries: Mapping[str, Any], accepted_keys: Collection[str], culprit: str) -> None:
    for key in entries:
        if key not in accepted_keys:
            raise PlanError(
                f"{culprit} has the unknown key {key!r}.{hint(str(key), accepted_keys)} The keys"
                f" are: {', '.join(accepted_keys)}.",
                code="unknown-key",
                key=key,
            )
