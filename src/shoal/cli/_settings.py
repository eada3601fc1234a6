"""Parsing of option values: lists of numbers, and ``--set name=value``."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from shoal.cli._wording import DEDICATED_FLAGS
from shoal.errors import ParameterError

# Parameters with an option of `shoal mask` that commands which try many plans do not have.
RELEASE_ONLY = ("effort", "budget", "shuffle")


def parse_numbers(texts: Sequence[str], kind: Callable[[str], Any], option: str) -> list[Any]:
    """Return the numbers of a repeatable option, each text holding one or several.

    Examples
    --------
    >>> parse_numbers(["3", "5,10"], int, "-k")
    [3, 5, 10]
    """
    try:
        return [kind(number) for number in split_commas(texts)]
    except ValueError:
        raise ParameterError(
            f"{option} takes numbers such as 3,5,10. Got {','.join(texts)!r}.",
            code="numbers-expected",
            option=option,
        ) from None


def split_commas(texts: Sequence[str]) -> list[str]:
    """Return the values of a repeatable option, each text holding one or several.

    Examples
    --------
    >>> split_commas(["mdav", "vmdav,auto"])
    ['mdav', 'vmdav', 'auto']
    """
    return [value for text in texts for value in text.replace(",", " ").split()]


def parse_codes(pairs: Sequence[str] | None, table: Any) -> dict[str, tuple[str, ...]]:
    """Parse the ``--missing-codes`` options for a table; refuse columns that it does not have."""
    from shoal.frame.missing_codes import as_missing_codes, parse_missing_codes
    from shoal.frame.tables import check_columns, open_frame

    codes = as_missing_codes(parse_missing_codes(pairs or []))
    check_columns(open_frame(table), list(codes))
    return codes


def parse_types(pairs: Sequence[str] | None, hierarchies: Sequence[str] | None) -> dict[str, Any]:
    """Parse the ``--type`` and ``--hierarchy`` options."""
    from shoal.frame.types import parse_type_options

    return parse_type_options([*(pairs or []), *map(_type_of_hierarchy, hierarchies or [])])


def _type_of_hierarchy(pair: str) -> str:
    """Return the type that ``--hierarchy COLUMN=RULE`` declares.

    >>> _type_of_hierarchy("zip=zip.csv"), _type_of_hierarchy("age=interval:5,10")
    ('zip=hierarchy:zip.csv', 'age=interval:5,10')
    """
    name, mark, rule = pair.partition("=")
    if not mark or not rule:
        raise ParameterError(
            "--hierarchy takes column=file, column=prefix:length,..., column=interval:width,... or"
            f" column=period:month,.... Got {pair!r} instead.",
            code="hierarchy-not-a-pair",
            given=pair,
        )
    is_rule = rule.partition(":")[0] in ("prefix", "interval", "period")
    return pair if is_rule else f"{name}=hierarchy:{rule}"


def parse_column_weights(pairs: Sequence[str]) -> dict[str, float]:
    """Parse the ``--column-weight`` options, each ``column=number``.

    Examples
    --------
    >>> parse_column_weights(["age=2", "wage=0.5"])
    {'age': 2.0, 'wage': 0.5}
    """
    weights: dict[str, float] = {}
    for pair in pairs:
        name, _, text = pair.rpartition("=")
        try:
            weight = float(text)
        except ValueError:
            weight = float("nan")
        if not name or name in weights or weight != weight:
            raise ParameterError(
                f"--column-weight takes column=number, once for a column. Got {pair!r} instead.",
                code="setting-not-a-pair",
                given=pair,
            )
        weights[name] = weight
    return weights


def parse_settings(
    pairs: Sequence[str],
    method: str,
    effort: str | None = None,
    *,
    without: Collection[str] = (),
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parse ``name=value`` pairs; return the parameters of the step and those of the method.

    ``without`` are parameters that the command does not take at all.
    """
    from shoal import _params as parameters
    from shoal.partitioners import METHODS
    from shoal.steps import Microaggregate

    step_parameters = parameters.signature_parameters(Microaggregate)
    method_parameters: dict[str, parameters.Parameter] = {}
    for name in (effort, method):
        if name in METHODS:
            method_parameters |= parameters.signature_parameters(METHODS[name])
    step_options: dict[str, Any] = {}
    method_options: dict[str, Any] = {}
    for pair in pairs:
        name, text = _split_setting(pair, without)
        if name in method_parameters:
            method_options[name] = method_parameters[name].parse(text)
        elif name in step_parameters:
            value, earlier_value = step_parameters[name].parse(text), step_options.get(name)
            if isinstance(value, dict) and isinstance(earlier_value, dict):
                value = {**earlier_value, **value}
            step_options[name] = value
        else:
            names = [n for n in [*method_parameters, *step_parameters] if n not in DEDICATED_FLAGS]
            raise ParameterError(
                f"There is no parameter {name!r}.{parameters.hint(name, names)} The parameters are:"
                f" {', '.join(names)}.",
                code="unknown-parameter",
                parameter=name,
            )
    return step_options, method_options


def _split_setting(pair: str, without: Collection[str]) -> tuple[str, str]:
    """Return name and value of a ``--set`` option; refuse names that it does not take."""
    name, equals, text = pair.partition("=")
    if not equals:
        raise ParameterError(
            f"--set takes name=value. Got {pair!r} instead.",
            code="setting-not-a-pair",
            given=pair,
        )
    if name in without:
        raise ParameterError(
            f"This command does not take {name!r}. Leave it out.",
            code="unknown-parameter",
            parameter=name,
        )
    if name in DEDICATED_FLAGS:
        raise ParameterError(
            f"{name!r} cannot be given by --set. Use {DEDICATED_FLAGS[name]}.",
            code="setting-has-option",
            parameter=name,
        )
    return name, text
