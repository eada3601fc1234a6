"""The trade-off between distortion of the quasi-identifiers and dependence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from shoal.comparison import compare_plans, grid
from shoal.errors import ParameterError
from shoal.frame import tables
from shoal.frame.tables import IntoDataFrame
from shoal.plan import Plan

LAMBDAS = tuple(step / 10 for step in range(11))


@dataclass(frozen=True)
class TradeoffPoint:
    """One run of a sweep.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    dependence : float
        Share of the confidential columns in the distances, the lambda of [RFSP16]_.
    distortion_x : float
        Share of the variation of the quasi-identifiers that is lost, in [0, 1].
    distortion_y : float
        Share of the variation of the confidential columns that the groups do not
        explain, in [0, 1]; see `shoal.metrics.distortion_y`.

    References
    ----------
    .. [RFSP16] Rebollo-Monedero, D., Forné, J., Soriano, M. and Puiggalí Allepuz, J.
       (2016). k-Anonymous microaggregation with preservation of statistical
       dependence. Information Sciences 342, 1-23.
    """

    k: int
    dependence: float
    distortion_x: float
    distortion_y: float

    def increments(self, start: "TradeoffPoint") -> tuple[float, float]:
        """Return how much both distortions change, relative to ``start``."""
        return (
            _relative_change(self.distortion_x, start.distortion_x),
            _relative_change(self.distortion_y, start.distortion_y),
        )


def sweep(
    data: IntoDataFrame,
    columns: Sequence[str],
    confidential: Sequence[str],
    *,
    k: Sequence[int],
    lambdas: Sequence[float] = LAMBDAS,
    method: str = "mdav",
    n_jobs: int | None = 1,
    types: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[TradeoffPoint]:
    """Microaggregate a table once for every k and every lambda.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The table; it is not released.
    columns : list of str
        Quasi-identifiers, of any kind.
    confidential : list of str
        Confidential columns: numbers, or categories, whose D_Y is the share of records that
        do not have the most frequent category of their class.
    k : list of int
        Values of k to try.
    lambdas : list of float
        Shares of the confidential columns to try, in [0, 1]; 0 is always included, as the
        reference.
    method : str
        A name in `shoal.METHODS`.
    n_jobs : int or None
        Number of parallel runs; None and -1 mean all cores.
    types : mapping of str to str or mapping, optional
        Kinds of columns if the table does not determine them; see `Plan`.
    **options
        Further parameters as in `shoal.compare`: ``identifiers``, ``unit``, ``household`` and
        other parameters of the step or the method.

    Returns
    -------
    list of TradeoffPoint
        One point for each run, sorted by k, then by lambda.
    """
    if not confidential:
        raise ParameterError(
            "Name at least one confidential column: dependence is measured on them.",
            code="confidential-needed",
        )
    frame = tables.open_frame(data)
    tables.check_columns(frame, [*columns, *confidential])
    plans = grid(
        columns,
        k=sorted(set(k)),
        method=method,
        dependence=sorted({0.0, *map(float, lambdas)}),
        confidential=confidential,
        types=types,
        **options,
    )
    return _run_plans(data, plans, n_jobs)


def run_with_dependences(
    plan: Plan, data: IntoDataFrame, *, lambdas: Sequence[float] = LAMBDAS, n_jobs: int | None = 1
) -> list[TradeoffPoint]:
    """Run a plan with other values of lambda, to show it on a curve.

    Parameters
    ----------
    plan : Plan
        A plan with at least one step whose dependence is above 0.
    data : pandas, polars or pyarrow table
        The table; it is not released.
    lambdas : list of float
        Shares of the confidential columns to try, in [0, 1].
    n_jobs : int or None
        Number of parallel runs; None and -1 mean all cores.

    Returns
    -------
    list of TradeoffPoint
        One point for each lambda, in ascending order.
    """
    entries = plan.to_dict()
    if not any("dependence" in step for step in entries["steps"]):
        raise ParameterError(
            "No step of the plan uses dependence, so there is no curve to draw. Set `dependence`"
            " above 0, or leave out the curve.",
            code="dependence-needed",
        )
    plans = []
    for share in sorted(set(map(float, lambdas))):
        steps = [
            {**step, "dependence": share} if "dependence" in step else step
            for step in entries["steps"]
        ]
        plans.append(Plan.from_dict({**entries, "steps": steps}))
    return _run_plans(data, plans, n_jobs)


def by_k(points: Sequence[TradeoffPoint]) -> dict[int, list[TradeoffPoint]]:
    """Return the points of each k."""
    return {k: list(group) for k, group in groupby(points, key=lambda point: point.k)}


def plot(points: Sequence[TradeoffPoint]) -> Any:
    """Draw the curve of each k with matplotlib, which the extra ``plots`` installs.

    Parameters
    ----------
    points : list of TradeoffPoint
        Results of `sweep`.

    Returns
    -------
    matplotlib.figure.Figure
        D_Y against D_X, and their changes relative to the smallest lambda.
    """
    from shoal.report.plots import plot_tradeoff  # see docs/architecture.md

    return plot_tradeoff(points)


def knee(points: Sequence[TradeoffPoint]) -> TradeoffPoint:
    """Return the point of one k that gains the most dependence for its distortion.

    Both distortions are expressed as shares of their change between the smallest and the largest
    lambda; at the knee, the share of the gain exceeds the share of the cost the most. Ties go to
    the smallest lambda.

    Parameters
    ----------
    points : list of TradeoffPoint
        Points of one k.

    Returns
    -------
    TradeoffPoint
        The point at the knee of the curve.

    Examples
    --------
    >>> curve = [(0, 0.1, 0.5), (0.2, 0.12, 0.2), (1, 0.4, 0.1)]
    >>> knee([TradeoffPoint(3, *figures) for figures in curve]).dependence
    0.2
    """
    ordered = sorted(points, key=lambda point: point.dependence)
    start, end = ordered[0], ordered[-1]
    cost = end.distortion_x - start.distortion_x
    gain = start.distortion_y - end.distortion_y
    if cost <= 0 or gain <= 0:
        return min(ordered, key=lambda point: point.distortion_x + point.distortion_y)
    return max(
        ordered,
        key=lambda point: (
            (start.distortion_y - point.distortion_y) / gain
            - (point.distortion_x - start.distortion_x) / cost
        ),
    )


def largest_relative_surplus(points: Sequence[TradeoffPoint]) -> TradeoffPoint:
    """Return the point of one k whose relative gain exceeds its relative cost the most.

    This is the criterion of the paper's figures: distortions are counted relative to the smallest
    lambda, as (D_X - D_X(0)) / D_X(0) and (D_Y(0) - D_Y) / D_Y(0). One per cent of either
    has the same weight, so smaller values of lambda are preferred than by the `knee`, which counts
    both as shares of their change over the whole curve. Ties go to the smallest lambda.

    Parameters
    ----------
    points : list of TradeoffPoint
        Points of one k.

    Returns
    -------
    TradeoffPoint
        The point, or the point of the smallest lambda if no gain exceeds its cost.

    Examples
    --------
    >>> curve = [(0, 0.1, 0.5), (0.1, 0.12, 0.3), (0.2, 0.14, 0.2)]
    >>> largest_relative_surplus([TradeoffPoint(3, *figures) for figures in curve]).dependence
    0.1
    """
    ordered = sorted(points, key=lambda point: point.dependence)
    increments = [point.increments(ordered[0]) for point in ordered]
    surpluses = [-change_of_y - change_of_x for change_of_x, change_of_y in increments]
    return ordered[surpluses.index(max(surpluses))]


def _run_plans(
    data: IntoDataFrame, plans: Sequence[Plan], n_jobs: int | None
) -> list[TradeoffPoint]:
    """Return the point of each plan; raise the error of the first that cannot be run."""
    points = []
    for trial in compare_plans(data, plans, risk=None, n_jobs=n_jobs).trials:
        if trial.error is not None:
            raise trial.error
        distortion_x, distortion_y = (
            trial.measures[name] for name in ("distortion_x", "distortion_y")
        )
        points.append(
            TradeoffPoint(trial.plan.k or 0, trial.dependence, distortion_x, distortion_y)
        )
    return points


def _relative_change(value: float, start: float) -> float:
    return 0.0 if value == start else (value - start) / start if start else float("inf")
