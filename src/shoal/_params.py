"""Parameters, declared once in the signature of the class that uses them.

Validation, plan documents, ``--set name=value`` and the forms of the page all read that signature:
its annotations and defaults for the allowed values, the docstring of the class for descriptions.
"""

import inspect
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral, Real
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from shoal.errors import ParameterError


@dataclass(frozen=True)
class AtLeast:
    """The number is ``bound`` or more."""

    bound: float

    def accepts(self, value: Any) -> bool:
        """Return whether ``value`` satisfies the constraint."""
        return not isinstance(value, Real) or bool(value >= self.bound)  # type: ignore[operator]

    def __str__(self) -> str:
        return f" in [{self.bound:g}, inf)"


@dataclass(frozen=True)
class Above:
    """The number is greater than ``bound``."""

    bound: float

    def accepts(self, value: Any) -> bool:
        """Return whether ``value`` satisfies the constraint."""
        return not isinstance(value, Real) or bool(value > self.bound)  # type: ignore[operator]

    def __str__(self) -> str:
        return f" in ({self.bound:g}, inf)"


@dataclass(frozen=True)
class Between:
    """The number lies between ``low`` and ``high``, ends included."""

    low: float
    high: float

    def accepts(self, value: Any) -> bool:
        """Return whether ``value`` satisfies the constraint."""
        return not isinstance(value, Real) or self.low <= float(value) <= self.high

    def __str__(self) -> str:
        return f" in [{self.low:g}, {self.high:g}]"


@dataclass(frozen=True)
class NotZero:
    """The number is not 0."""

    def accepts(self, value: Any) -> bool:
        """Return whether ``value`` satisfies the constraint."""
        return bool(value != 0)

    def __str__(self) -> str:
        return " other than 0"


@dataclass(frozen=True)
class Exactly:
    """The number equals ``value``: the method is defined for no other."""

    value: float

    def accepts(self, value: Any) -> bool:
        """Return whether ``value`` satisfies the constraint."""
        return not isinstance(value, Real) or value == self.value

    def __str__(self) -> str:
        return f" equal to {self.value:g}"


MAX_SHOWN = 200  # characters of an argument shown in a message

K = Annotated[int, AtLeast(1)]
RandomState = Annotated[int, AtLeast(0)] | np.random.Generator | np.random.RandomState | None
NJobs = Annotated[int, NotZero()] | None


def check_at_least(least: int, **arguments: Any) -> None:
    """Refuse arguments that are not an int of at least ``least``."""
    for name, value in arguments.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ParameterError(
                f"`{name}` must be an int of at least {least}.",
                code="parameter-not-accepted",
                parameter=name,
            )


@dataclass(frozen=True)
class Parameter:
    """One parameter of a class, read from its signature and docstring."""

    name: str
    annotation: Any
    default: Any
    description: str

    @property
    def required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is inspect.Parameter.empty

    @property
    def expected(self) -> str:
        """The allowed values, in words."""
        return _describe(self.annotation)

    def accepts(self, value: Any) -> bool:
        """Return whether ``value`` is allowed."""
        return _accepts(self.annotation, value)

    def parse(self, text: str) -> Any:
        """Parse a command-line value: a number, true, false, a JSON list or plain text.

        ``column=value,column=value`` is a mapping if the parameter accepts one.
        """
        value = parse_json(text)
        if "=" in text and not self.accepts(value) and self.accepts({}):
            pairs = (pair.rpartition("=") for pair in text.split(","))
            return {name: parse_json(entry) for name, _, entry in pairs}
        return text if not self.accepts(value) and self.accepts(text) else value


def parse_json(text: str) -> Any:
    """Return the JSON value that a text represents, or else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


_PARAMETERS_BY_CLASS: dict[type, Mapping[str, Parameter]] = {}  # reading a signature is slow


def signature_parameters(cls: type) -> Mapping[str, Parameter]:
    """Return the parameters of ``cls`` by name, in signature order."""
    if cls not in _PARAMETERS_BY_CLASS:
        hints = get_type_hints(cls.__init__, include_extras=True)  # type: ignore[misc]
        descriptions = _parse_descriptions(inspect.getdoc(cls) or "")
        parameters = {
            name: Parameter(name, hints.get(name, Any), entry.default, descriptions.get(name, ""))
            for name, entry in inspect.signature(cls).parameters.items()
        }
        _PARAMETERS_BY_CLASS[cls] = MappingProxyType(parameters)
    return _PARAMETERS_BY_CLASS[cls]


def validate(instance: Any, owner: str = "") -> None:
    """Check the parameters stored in ``instance``; raise `ParameterError` for the first bad one.

    ``owner`` is what the message calls the instance, by default its class.
    """
    cls = type(instance)
    owner = owner or cls.__name__
    for parameter in signature_parameters(cls).values():
        value = getattr(instance, parameter.name)
        if not parameter.accepts(value):
            raise ParameterError(
                f"The {parameter.name!r} parameter of {owner} must be"
                f" {parameter.expected}. Got {format_argument(value)} instead.",
                code="parameter-not-accepted",
                parameter=parameter.name,
                of=cls.__name__,
            )


def non_default_parameters(instance: Any) -> dict[str, Any]:
    """Return the parameters of ``instance`` that differ from their defaults."""
    return {
        name: getattr(instance, name)
        for name, parameter in signature_parameters(type(instance)).items()
        if parameter.required or _differs(getattr(instance, name), parameter.default)
    }


def build(cls: type, options: dict[str, Any], owner: str = "") -> Any:
    """Return ``cls(**options)``; raise `ParameterError` for an unknown or missing option.

    ``owner`` is what the message calls the class, by default its name.
    """
    parameters = signature_parameters(cls)
    owner = owner[:1].upper() + owner[1:] or cls.__name__
    for name in options:
        if name not in parameters:
            raise ParameterError(
                f"{owner} has no parameter {name!r}.{hint(name, parameters)}"
                f" Its parameters are: {', '.join(parameters)}.",
                code="unknown-parameter",
                parameter=name,
                of=cls.__name__,
            )
    for name, parameter in parameters.items():
        if parameter.required and name not in options:
            raise ParameterError(
                f"{owner} needs {name!r}: {parameter.expected}.",
                code="parameter-missing",
                parameter=name,
                of=cls.__name__,
            )
    return cls(**options)


def with_hint_of(error: ParameterError, function: Any) -> ParameterError:
    """Return the error of an unknown parameter, with a similar parameter of ``function`` if any."""
    names = [
        name
        for name, entry in inspect.signature(function).parameters.items()
        if entry.kind is not entry.VAR_KEYWORD
    ]
    similar = hint(error.attributes.get("parameter"), names)
    if error.code != "unknown-parameter" or not similar or "Did you mean" in error.template:
        return error
    return ParameterError(f"{error.template}{similar}", code=error.code, **error.attributes)


def hint(word: object, words: Iterable[str]) -> str:
    """Return `` Did you mean '...'?`` for the most similar of ``words``, or an empty string."""
    close = get_close_matches(str(word), list(words), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def format_argument(value: Any) -> str:
    """Return the repr of an argument, or its type if the argument may contain data."""
    elements = [value]
    if isinstance(value, list | tuple):
        elements = list(value)
    elif isinstance(value, dict):
        elements = [*value, *value.values()]
    if not all(element is None or isinstance(element, str | int | float) for element in elements):
        return f"a value of type {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def union_members(annotation: Any) -> list[Any]:
    """Return the members of a union, or the annotation itself."""
    if get_origin(annotation) in (Union, UnionType):
        return [inner for member in get_args(annotation) for inner in union_members(member)]
    return [annotation]


def _differs(value: Any, default: Any) -> bool:
    return isinstance(value, np.ndarray) or value != default  # defaults are never arrays


def _accepts(annotation: Any, value: Any) -> bool:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _accepts(arguments[0], value) and all(rule.accepts(value) for rule in arguments[1:])
    if origin in (Union, UnionType):
        return any(_accepts(option, value) for option in arguments)
    if origin is Literal:
        return any(type(value) is type(option) and value == option for option in arguments)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
            # If the extremes are accepted, all numbers are.
            value = value[[value.argmin(), value.argmax()]] if len(value) else ()
        return (
            isinstance(value, Iterable)
            and not isinstance(value, str | bytes)
            and all(_accepts(arguments[0], element) for element in value)
        )
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _accepts(arguments[0], key) and _accepts(arguments[1], entry)
            for key, entry in value.items()
        )
    if annotation is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if annotation is float:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if annotation is None:
        return value is None
    return not isinstance(annotation, type) or isinstance(value, annotation)


_TYPE_NAMES = {
    int: "an int",
    float: "a float",
    str: "a string",
    bool: "true or false",
    NoneType: "None",
}


def _describe(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _describe(arguments[0]) + "".join(str(rule) for rule in arguments[1:])
    if origin in (Union, UnionType):
        return " or ".join(_describe(option) for option in arguments)
    if origin is Literal:
        names = [repr(option) for option in arguments]
        return names[0] if len(names) == 1 else "one of " + ", ".join(names)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return "a list, each " + _describe(arguments[0])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "a mapping of columns, each to " + _describe(arguments[1])
    return _TYPE_NAMES.get(annotation) or f"a {getattr(annotation, '__name__', 'value')}"


def _parse_descriptions(docstring: str) -> dict[str, str]:
    """Return the parameter descriptions in a numpydoc docstring, by name."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}|\Z)", docstring, re.S | re.M)
    if section is None:
        return {}
    entries = re.findall(
        r"^(\w+(?:, \w+)*) :[^\n]*\n((?:[ \t]+[^\n]*\n?|\n)+)", section[1] + "\n", re.M
    )
    return {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}
