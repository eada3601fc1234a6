"""Measures of a release under the roles, types and weights of its plan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame
from shoal.metrics.assessment import Assessment, assess_frames

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def measure_release(
    plan: "Plan",
    original: Frame,
    released: Frame,
    names: Sequence[str],
    units: NDArray[np.int64] | None,
    lower_bound: float | None = None,
) -> Assessment:
    """Return the measures called ``names`` of a released table.

    Parameters
    ----------
    plan : Plan
        The plan that masked the table.
    original, released : Frame
        The records before and after, in the same order.
    names : sequence of str
        The measures to compute.
    units : ndarray of shape (n_records,) or None
        The unit of each record, if k counts units.
    lower_bound : float, optional
        A proven lower bound of the loss, for ``certified_gap``.

    Returns
    -------
    Assessment
        The measures by name.
    """
    return assess_frames(
        original,
        released,
        plan.quasi_identifiers,
        [name for name in plan.masked if name not in plan.recoded],
        columns_with(plan.roles, "confidential"),
        measures=names,
        types=plan.types,
        weight=plan.weight,
        lower_bound=lower_bound,
        units=units,
        recoded_columns=plan.recoded,
    )
