"""Parsing of the options of a step's command into parameters of the step."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.options.step_options import OPTION_NAMES, SHARED_OPTIONS
from shoal.errors import FileError

if TYPE_CHECKING:
    from shoal._params import Parameter


def step_values(
    step_parameters: Mapping[str, "Parameter"], values_by_option: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters of the step that its options set."""
    values: dict[str, Any] = {}
    for name, parameter in step_parameters.items():
        value = values_by_option.get(OPTION_NAMES.get(name, name))
        if value is None or name == "unit":
            continue
        if name not in SHARED_OPTIONS and not isinstance(value, bool):
            value = _parse(parameter, [value] if isinstance(value, str) else value)
        values[name] = value
    return values


def _parse(parameter: "Parameter", texts: Sequence[str]) -> Any:
    """Return the value of a parameter: a number, a text, a list, a mapping, or one from a file."""
    from shoal._params import parse_json

    values = [
        _read_file(text[1:]) if text.startswith("@") else parameter.parse(text) for text in texts
    ]
    if all(isinstance(value, dict) for value in values) and parameter.accepts({}):
        return {key: value for mapping in values for key, value in mapping.items()}
    if len(values) == 1 and not parameter.accepts(values[0]):
        items = [parse_json(item) for item in texts[0].split(",")]
        return items if parameter.accepts(items) else values[0]
    return values[0] if len(values) == 1 else values


def _read_file(name: str) -> Any:
    """Return the content of a JSON or TOML file."""
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except OSError as error:
        raise FileError.unreadable(name, error) from None
    except ValueError:
        raise FileError(
            f"{name!r} could not be read: it is neither JSON nor TOML.",
            code="file-unreadable",
            file=name,
        ) from None
