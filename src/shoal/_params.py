"""A parameter is declared once, in the signature of the class that uses it.

Checks, plan documents, ``--set name=value`` and forms all read that signature:
the annotation says what is allowed, the default what is usual, the docstring
what it means.
"""

import inspect
import json
import math
import os
import re
import secrets
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
        """Say whether ``value`` obeys."""
        return not isinstance(value, Real) or bool(value >= self.bound)  # type: ignore[operator]

    def __str__(self) -> str:
        return f" in [{self.bound:g}, inf)"


@dataclass(frozen=True)
class Above:
    """The number is greater than ``bound``."""

    bound: float

    def accepts(self, value: Any) -> bool:
        """Say whether ``value`` obeys."""
        return not isinstance(value, Real) or bool(value > self.bound)  # type: ignore[operator]

    def __str__(self) -> str:
        return f" in ({self.bound:g}, inf)"


@dataclass(frozen=True)
class Between:
    """The number lies between ``low`` and ``high``, ends included."""

    low: float
    high: float

    def accepts(self, value: Any) -> bool:
        """Say whether ``value`` obeys."""
        return not isinstance(value, Real) or self.low <= float(value) <= self.high

    def __str__(self) -> str:
        return f" in [{self.low:g}, {self.high:g}]"


@dataclass(frozen=True)
class NotZero:
    """The number is not 0."""

    def accepts(self, value: Any) -> bool:
        """Say whether ``value`` obeys."""
        return bool(value != 0)

    def __str__(self) -> str:
        return " other than 0"


@dataclass(frozen=True)
class Exactly:
    """The number is ``only``: the method is made for it."""

    only: float

    def accepts(self, value: Any) -> bool:
        """Say whether ``value`` obeys."""
        return not isinstance(value, Real) or value == self.only

    def __str__(self) -> str:
        return f" equal to {self.only:g}"


LONGEST = 200  # characters of a value that a message shows

K = Annotated[int, AtLeast(1)]
RandomState = Annotated[int, AtLeast(0)] | np.random.Generator | np.random.RandomState | None
NJobs = Annotated[int, NotZero()] | None
GENERATORS = (np.random.Generator, np.random.RandomState)
SEED_BITS = 128  # of a seed that is drawn: too many to try them all


class DrawnSeed(int):
    """A seed that was drawn for a run. It is a key to the release, so printing does not show it."""

    def __repr__(self) -> str:
        return "<drawn seed>"

    __str__ = __repr__


def draw_seed(generator: np.random.Generator | np.random.RandomState | None = None) -> DrawnSeed:
    """Return a seed drawn from ``generator``; without one, a seed that nobody can guess."""
    if generator is None:
        return DrawnSeed(secrets.randbits(SEED_BITS))
    return DrawnSeed(int.from_bytes(generator.bytes(SEED_BITS // 8)))


def as_seed(random_state: RandomState) -> int | None:
    """Return the seed that ``random_state`` stands for; None where it leaves the seed open.

    A generator is advanced: its next seed is another one.

    Examples
    --------
    >>> as_seed(7)
    7
    >>> as_seed(np.random.default_rng(0)) == as_seed(np.random.default_rng(0))
    True
    """
    if isinstance(random_state, GENERATORS):
        return draw_seed(random_state)
    return random_state


def effective_n_jobs(n_jobs: int | None) -> int:
    """Return how many jobs run at a time: all cores where ``n_jobs`` is None or -1.

    A negative number counts back from all cores, as in joblib: -2 leaves one core free.

    Examples
    --------
    >>> effective_n_jobs(3)
    3
    """
    cores = os.cpu_count() or 1
    if n_jobs is None:
        return cores
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a class, as its signature and docstring declare it."""

    name: str
    annotation: Any
    default: Any
    meaning: str

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is inspect.Parameter.empty

    @property
    def expected(self) -> str:
        """What is allowed, in words."""
        return _words(self.annotation)

    def accepts(self, value: Any) -> bool:
        """Say whether ``value`` is allowed."""
        return _accepts(self.annotation, value)

    def parse(self, text: str) -> Any:
        """Read a value from the command line: a number, true, false, a JSON list or plain text."""
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        return text if not self.accepts(value) and self.accepts(text) else value


_DECLARED: dict[type, Mapping[str, Parameter]] = {}  # reading a signature takes long


def signature_parameters(cls: type) -> Mapping[str, Parameter]:
    """Return the parameters of ``cls`` by name, in the order of its signature."""
    if cls not in _DECLARED:
        hints = get_type_hints(cls.__init__, include_extras=True)  # type: ignore[misc]
        meanings = _meanings(inspect.getdoc(cls) or "")
        known = {
            name: Parameter(name, hints.get(name, Any), entry.default, meanings.get(name, ""))
            for name, entry in inspect.signature(cls).parameters.items()
        }
        _DECLARED[cls] = MappingProxyType(known)
    return _DECLARED[cls]


def validate(thing: Any) -> None:
    """Check every parameter that ``thing`` stores; raise `ParameterError` at the first bad one."""
    cls = type(thing)
    for parameter in signature_parameters(cls).values():
        value = getattr(thing, parameter.name)
        if not parameter.accepts(value):
            raise ParameterError(
                f"The {parameter.name!r} parameter of {cls.__name__} must be"
                f" {parameter.expected}. Got {format_argument(value)} instead.",
                code="parameter-not-accepted",
                parameter=parameter.name,
                of=cls.__name__,
            )


def non_default_parameters(thing: Any) -> dict[str, Any]:
    """Return the parameters of ``thing`` that differ from their defaults."""
    return {
        name: getattr(thing, name)
        for name, parameter in signature_parameters(type(thing)).items()
        if parameter.required or _differs(getattr(thing, name), parameter.default)
    }


def build(cls: type, options: dict[str, Any]) -> Any:
    """Make ``cls(**options)``; an option that is unknown or lacking is said by name."""
    known = signature_parameters(cls)
    for name in options:
        if name not in known:
            raise ParameterError(
                f"{cls.__name__} has no parameter {name!r}.{hint(name, known)}"
                f" Its parameters are: {', '.join(known)}.",
                code="unknown-parameter",
                parameter=name,
                of=cls.__name__,
            )
    for name, parameter in known.items():
        if parameter.required and name not in options:
            raise ParameterError(
                f"{cls.__name__} needs {name!r}: {parameter.expected}.",
                code="parameter-missing",
                parameter=name,
                of=cls.__name__,
            )
    return cls(**options)


def hint(word: object, words: Iterable[str]) -> str:
    """Return `` Did you mean '...'?`` for the word that looks most like ``word``, or nothing."""
    close = get_close_matches(str(word), list(words), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def format_argument(value: Any) -> str:
    """Return an argument as Python writes it, or its type: a table or an array is data."""
    parts = [value]
    if isinstance(value, list | tuple):
        parts = list(value)
    elif isinstance(value, dict):
        parts = [*value, *value.values()]
    if not all(part is None or isinstance(part, str | int | float) for part in parts):
        return f"a value of type {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _differs(value: Any, default: Any) -> bool:
    return isinstance(value, np.ndarray) or value != default  # no default is an array


def _accepts(annotation: Any, value: Any) -> bool:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _accepts(arguments[0], value) and all(rule.accepts(value) for rule in arguments[1:])
    if origin in (Union, UnionType):
        return any(_accepts(one, value) for one in arguments)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
            value = value[[value.argmin(), value.argmax()]] if len(value) else ()  # may be long
        return (
            isinstance(value, Iterable)
            and not isinstance(value, str | bytes)
            and all(_accepts(arguments[0], one) for one in value)
        )
    if annotation is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if annotation is float:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if annotation is None:
        return value is None
    return not isinstance(annotation, type) or isinstance(value, annotation)


_PLAIN = {int: "an int", float: "a float", str: "a string", bool: "true or false", NoneType: "None"}


def _words(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _words(arguments[0]) + "".join(str(rule) for rule in arguments[1:])
    if origin in (Union, UnionType):
        return " or ".join(_words(one) for one in arguments)
    if origin is Literal:
        names = [repr(one) for one in arguments]
        return names[0] if len(names) == 1 else "one of " + ", ".join(names)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return "a list, each " + _words(arguments[0])
    return _PLAIN.get(annotation) or f"a {getattr(annotation, '__name__', 'value')}"


def _meanings(docstring: str) -> dict[str, str]:
    """Read what each parameter means from the Parameters section of a numpydoc docstring."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}|\Z)", docstring, re.S | re.M)
    if section is None:
        return {}
    found = re.findall(
        r"^(\w+(?:, \w+)*) :[^\n]*\n((?:[ \t]+[^\n]*\n?|\n)+)", section[1] + "\n", re.M
    )
    return {name: " ".join(text.split()) for names, text in found for name in names.split(", ")}
