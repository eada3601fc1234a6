"""Thresholds above which a figure of a release becomes a finding of its verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from shoal import _params as parameters
from shoal._params import AtLeast, Between
from shoal.errors import ParameterError, PlanError

Share = Annotated[float, Between(0, 1)]


@dataclass(frozen=True)
class Thresholds:
    """Thresholds above which a figure of a release becomes a finding of its verdict.

    Parameters
    ----------
    unique : float
        Share of units that may be unique on unchanged columns; a greater share qualifies the
        verdict.
    key : float
        Share of units that may be unique on one confidential column.
    exact : float
        Share of records that may keep the original values of all masked columns.
    dominance : float
        Share of the sum, or of the weight, of its group that one record may contribute.
    p_percent : float, optional
        Minimum error, in per cent of the largest value of a group, with which the owner of the
        second largest value can estimate the largest: the p % rule. Not checked if None.
    derived : float
        R2 from which unchanged columns count as determining a masked one.
    order : float
        Rank correlation of a column with the order of the records, or adjacency of the records of
        a unit, on a scale from 0 for a random order to 1 for complete adjacency, above which the
        order is revealing.
    loss : float
        Information loss in per cent.
    group_size : float
        Size of a group, in multiples of k.
    sample : int
        Number of records in which derived columns are searched for; longer tables are sampled.
    """

    unique: Share = 0.01
    key: Share = 0.5
    exact: Share = 0.5
    dominance: Share = 0.8
    p_percent: Annotated[float, Between(0, 100)] | None = None
    derived: Share = 0.99
    order: Share = 0.9
    loss: Annotated[float, Between(0, 100)] = 50.0
    group_size: Annotated[float, AtLeast(1)] = 3.0
    sample: Annotated[int, AtLeast(100)] = 5000

    def __post_init__(self) -> None:
        parameters.validate(self)


def as_thresholds(entries: "Thresholds | Mapping[str, Any] | None") -> Thresholds:
    """Return thresholds from a mapping.

    Parameters
    ----------
    entries : Thresholds, mapping or None
        Thresholds by name; a threshold that is not named has its default.

    Returns
    -------
    Thresholds
        The given thresholds and the defaults of the others.
    """
    if isinstance(entries, Thresholds):
        return entries
    if not isinstance(entries, Mapping | None):
        raise PlanError(
            "The plan's thresholds must be a table: name = number.", code="thresholds-no-mapping"
        )
    try:
        thresholds: Thresholds = parameters.build(Thresholds, dict(entries or {}))
    except ParameterError as error:
        raise PlanError(
            f"The plan's thresholds: {error.template}", code=error.code, **error.attributes
        ) from None
    return thresholds
