"""The class `Limits`: maxima and minima of figures, read from a mapping or a file."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, overload

from shoal._params import hint
from shoal.errors import FileError, ParameterError
from shoal.metrics.limits.figure_names import (
    HasFigures,
    base_name,
    command_by_figure,
    is_finite_number,
)
from shoal.metrics.limits.results import Limit, LimitResults

SETTINGS = ("formula", "target")  # entries that are settings of analyses rather than limits


class Limits(Sequence[Limit]):
    """Maxima and minima that the figures of a release must keep.

    The name of a limit is ``max_`` or ``min_`` and the name of a figure: a measure of
    `shoal.assess`, a rate of `shoal.attack` (``linkage_distance``, or its excess over the baseline,
    ``linkage_distance_excess``), or a figure of `shoal.utility` or of
    `shoal.metrics.survey.survey_risk`. If a figure has one value per column, the worst value
    counts, unless a column is named: ``{"max_t_closeness": {"income": 0.2}}``.

    Parameters
    ----------
    entries : mapping of str to number or mapping
        The limits by name. ``formula`` and ``target`` are the regression models and the columns to
        predict for limits on figures of `shoal.utility`.

    Examples
    --------
    >>> import pandas as pd, shoal
    >>> original = pd.DataFrame({"age": [20, 22, 60, 62]})
    >>> measures = shoal.assess(
    ...     original, original.assign(age=[21, 21, 61, 61]), quasi_identifiers=["age"]
    ... )
    >>> results = Limits({"max_linkage": 0.5, "max_information_loss": 0.1}).check(measures)
    >>> print(results)
    pass max_linkage = 0.5: 0.5
    FAIL max_information_loss = 0.1: 0.2494
    """

    def __init__(self, entries: Mapping[str, Any] | None = None):
        entries = {} if entries is None else _as_mapping(entries)
        self.formulas, self.targets = (_read_setting(entries, name) for name in SETTINGS)
        limit_entries = {name: value for name, value in entries.items() if name not in SETTINGS}
        self._limits = tuple(_parse_limits(limit_entries))

    @classmethod
    def load(cls, path: str | Path) -> "Limits":
        """Read limits from a ``.toml`` file: from its table ``limits``, or from all its entries."""
        path = Path(path)
        try:
            entries = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise FileError.unreadable(path, error) from None
        except (ValueError, RecursionError):
            raise FileError(
                f"{path.name!r} is not a TOML file.", code="limits-unreadable", file=path.name
            ) from None
        limits = cls(entries.get("limits", entries))
        if not limits:
            raise ParameterError(
                f"{path.name!r} sets no limit. Write, for example: max_linkage = 0.1",
                code="limits-empty",
                file=path.name,
            )
        return limits

    @classmethod
    def of(cls, limits: "Limits | Mapping[str, Any] | str | Path | None") -> "Limits":
        """Return limits from a mapping or a file; None stands for no limits."""
        if isinstance(limits, Limits):
            return limits
        return cls.load(limits) if isinstance(limits, str | Path) else cls(limits)

    def check(self, *results: HasFigures) -> LimitResults:
        """Compare figures with the limits.

        Parameters
        ----------
        *results : Assessment, Attacks, SurveyRisk or another result with figures
            Results whose figures are compared.

        Returns
        -------
        LimitResults
            One result per limit. A limit whose figure is in none of the results fails.
        """
        return LimitResults(tuple(limit.check(results) for limit in self))

    def by(self, *commands: str) -> "Limits":
        """Return the limits on figures of ``commands``: assess, attack, utility or risk."""
        return self._with_limits(limit for limit in self if limit.command in commands)

    def merged(self, other: "Limits") -> "Limits":
        """Return the limits of both; if both limit the same figure, the stricter limit."""
        limits = {limit.name: limit for limit in self}
        for limit in other:
            strictest = min if limit.direction == "max" else max
            own_limit = limits.get(limit.name, limit)
            limits[limit.name] = strictest(own_limit, limit, key=lambda candidate: candidate.value)
        merged = self._with_limits(limits.values())
        merged.formulas = tuple(dict.fromkeys([*self.formulas, *other.formulas]))
        merged.targets = tuple(dict.fromkeys([*self.targets, *other.targets]))
        return merged

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of the limited figures, without columns."""
        return tuple(dict.fromkeys(base_name(limit.figure) for limit in self))

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as plain data, by name; a column follows after a colon."""
        settings = zip(SETTINGS, (self.formulas, self.targets), strict=True)
        return {
            **{name: list(names) for name, names in settings if names},
            **{limit.name: limit.value for limit in self},
        }

    def _with_limits(self, limits: Iterable[Limit]) -> "Limits":
        """Return other limits with the same formulas and targets."""
        result = Limits()
        result._limits = tuple(limits)
        result.formulas, result.targets = self.formulas, self.targets
        return result

    @overload
    def __getitem__(self, index: int) -> Limit: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Limit]: ...

    def __getitem__(self, index: int | slice) -> Limit | Sequence[Limit]:
        return self._limits[index]

    def __len__(self) -> int:
        return len(self._limits)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Limits) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(frozenset(self._limits))

    def __repr__(self) -> str:
        return f"Limits({self.to_dict()})"


def _as_mapping(entries: Any) -> Mapping[str, Any]:
    if not isinstance(entries, Mapping):
        raise ParameterError("Limits must be a table: name = number.", code="limits-no-mapping")
    return entries


def _read_setting(entries: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the formulas or the targets; refuse anything but text."""
    names = entries.get(name, ())
    texts = (names,) if isinstance(names, str) else names
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise ParameterError(
            f"{name!r} of the limits must be a text or a list of texts.",
            code="parameter-not-accepted",
            parameter=name,
        )
    return tuple(texts)


def _parse_limits(entries: Mapping[str, Any]) -> Iterator[Limit]:
    """Yield the limits of a mapping; refuse unknown names and values that are not numbers."""
    for name, value in entries.items():
        direction, _, figure = str(name).partition("_")
        if direction not in ("max", "min") or base_name(figure) not in command_by_figure():
            known_names = [
                f"{prefix}_{known}" for known in command_by_figure() for prefix in ("max", "min")
            ]
            raise ParameterError(
                f"There is no limit {str(name)!r}.{hint(name, known_names)} A limit is max_ or min_"
                " and the name of a measure or of a figure of an attack, an analysis or a survey"
                " risk: docs/operate/limits.md lists them.",
                code="unknown-limit",
                limit=str(name),
            )
        yield from _expand_figure(direction, figure, value)  # type: ignore[arg-type]


def _expand_figure(direction: Literal["max", "min"], figure: str, value: Any) -> Iterator[Limit]:
    """Yield the limit of a figure, or the limits of its columns or parts."""
    if isinstance(value, Mapping) and value:
        for key, number in value.items():
            yield from _expand_figure(direction, f"{figure}:{key}", number)
        return
    if not is_finite_number(value):
        raise ParameterError(
            f"The limit '{direction}_{figure}' must be a number.",
            code="limit-not-a-number",
            limit=f"{direction}_{figure}",
        )
    yield Limit(direction, figure, value)
