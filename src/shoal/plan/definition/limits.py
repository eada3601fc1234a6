"""The limits of a plan, from a mapping or a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, PlanError
from shoal.metrics.limits import Limits


def as_limits(limits: Limits | Mapping[str, Any] | str | Path | None) -> Limits:
    """Return the limits of a plan from a mapping or a file.

    Parameters
    ----------
    limits : Limits, mapping, path or None
        Limits by name, or a TOML file of them; none if None.

    Returns
    -------
    Limits
        The limits of the plan, without any limit if None was given.
    """
    try:
        return Limits.of(limits)
    except ParameterError as error:
        raise PlanError(
            f"The plan's limits: {error.template}", code=error.code, **error.attributes
        ) from None
