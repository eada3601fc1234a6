"""Measures, attacks, survey risk and analyses of a release, under the roles of its plan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame
from shoal.metrics.assessment import Assessment, assess_frames

if TYPE_CHECKING:
    from shoal.metrics.analyses import Utility
    from shoal.metrics.attacks import Attacks
    from shoal.metrics.survey import SurveyRisk
    from shoal.plan.analysed_columns import AnalysedColumns
    from shoal.plan.plan import Plan

SEED = 0  # fixed, so that the figures of attacks and analyses can be repeated


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
        The original and the released records, in the same order.
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


def attack_release(
    plan: "Plan", original: Frame, released: Frame, attacks: Sequence[str] | None = None
) -> "Attacks":
    """Attack a release by its quasi-identifiers.

    Parameters
    ----------
    plan : Plan
        The plan of the release.
    original : Frame
        The released records before masking, in the same order.
    released : Frame
        The released table.
    attacks : list of str, optional
        Names in `shoal.metrics.attacks.ATTACKS`; by default all that are possible.

    Returns
    -------
    Attacks
        The results, with the seed 0.
    """
    from shoal.metrics.attacks import attack  # imports compiled loops

    return attack(
        tables.to_native(original),
        tables.to_native(released),
        quasi_identifiers=plan.quasi_identifiers,
        confidential=columns_with(plan.roles, "confidential"),
        attacks=attacks,
        aligned=len(original) == len(released),
        unit=plan.unit_column,
        types={name: declared for name, declared in plan.types.items() if name not in plan.recoded},
        random_state=SEED,
    )


def survey_risk_of_release(plan: "Plan", original: Frame, released: Frame) -> "SurveyRisk | None":
    """Return the risk of a release as a sample, or None if the plan has no survey weights."""
    from shoal.metrics.survey import survey_risk

    weight = plan.weight
    if weight is None:
        return None
    households = columns_with(plan.roles, "household")
    data = tables.with_columns_of(released, original, [weight, *households])
    return survey_risk(
        tables.to_native(data),
        quasi_identifiers=plan.quasi_identifiers,
        weight=weight,
        household=households[0] if households else None,
    )


def analyse_release(
    plan: "Plan",
    original: Frame,
    released: Frame,
    analyses: Sequence[str],
    formulas: Sequence[str],
    targets: Sequence[str],
    analysed_columns: "AnalysedColumns | None" = None,
) -> "Utility":
    """Compare analyses of a release and of the original; see `shoal.utility`.

    ``analysed_columns`` determines how the columns of a file are read, masked or not.
    """
    from shoal.metrics.analyses import utility

    to_native = tables.to_native if analysed_columns is None else analysed_columns.table
    types = plan.types if analysed_columns is None else analysed_columns.types
    return utility(
        to_native(original),
        to_native(released),
        target=list(targets) or None,
        formula=list(formulas) or None,
        aligned=len(original) == len(released),
        weight=plan.weight,
        measures=list(analyses),
        types={name: kind for name, kind in types.items() if name not in plan.recoded},
        random_state=SEED,
    )
