"""Parsing of option values: lists of numbers, ``--set name=value``, options of a method."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shoal.cli.wording import DEDICATED_FLAGS
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.partitioners import Partitioner

# Parameters that have an option in `shoal mask`, but none in commands that try many plans.
RELEASE_ONLY = ("effort", "budget", "shuffle")


def parse_numbers(texts: Sequence[str], kind: Callable[[str], Any], option: str) -> list[Any]:
    """Return the numbers of a repeatable option; each text may contain several.

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
    """Return the values of a repeatable option; each text may contain several.

    Examples
    --------
    >>> split_commas(["mdav", "vmdav,auto"])
    ['mdav', 'vmdav', 'auto']
    """
    return [value for text in texts for value in text.replace(",", " ").split()]


def parse_settings(
    pairs: Sequence[str],
    method: str,
    effort: str | None = None,
    *,
    without: Collection[str] = (),
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parse ``name=value`` pairs into parameters of the step and parameters of the method.

    ``without`` are parameters that the command refuses.
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
            value = step_parameters[name].parse(text)
            earlier_value = step_options.get(name)
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


def build_partitioner(
    method: str,
    k: int,
    method_options: Mapping[str, Any],
    *,
    effort: str | None,
    budget: float | None,
    seed: int | None,
    n_jobs: int | None,
) -> "Partitioner":
    """Return the partitioner that options describe; None stands for the default."""
    from shoal.partitioners import partitioner

    common = {"effort": effort, "budget": budget, "random_state": seed, "n_jobs": n_jobs}
    given = {name: value for name, value in common.items() if value is not None}
    return partitioner(method, {"k": k, **method_options, **given})


def _split_setting(pair: str, without: Collection[str]) -> tuple[str, str]:
    """Return name and value of a ``--set`` option; refuse names in ``without``."""
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
