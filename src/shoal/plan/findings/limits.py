"""Limits of a plan: one that is not met breaks the guarantee."""

from collections.abc import Sequence
from typing import Any

from shoal.errors import InputError
from shoal.frame.tables import Frame
from shoal.metrics.assessment import Assessment
from shoal.metrics.limits import LimitResult, LimitResults, Limits
from shoal.metrics.limits.figure_names import WORST_GROUP_SUFFIX, HasFigures, attack_figure_names
from shoal.plan.assessment import (
    analyse_release,
    attack_release,
    measure_release,
    survey_risk_of_release,
)
from shoal.plan.evidence import Evidence
from shoal.plan.findings.phrases import advice_to_mask_less, advice_to_mask_more
from shoal.plan.verdict import Finding, Verdict
from shoal.steps import Step

NO_GROUPS = "A plan has no subgroups: measure the release by subgroup to check this limit."
WAY_OUT = "{}, mask {} columns or use another method; or set another limit."


class NotComputed:
    """Figures that could not be computed, with the reason."""

    def __init__(self, names: Sequence[str], reason: str):
        self._reasons = dict.fromkeys(names, reason)

    def figures(self) -> dict[str, float]:
        """Return no figure."""
        return {}

    def reasons(self) -> dict[str, str]:
        """Return the reason for each figure."""
        return self._reasons


def find_broken_limits(evidence: Evidence) -> list[Finding]:
    """Return a finding on all limits of the plan, and one on each limit that is not met.

    Without the original, the figures of most limits cannot be computed; such limits are only named.
    """
    limits = evidence.plan.limits
    if not limits:
        return []
    results = limits.check(*compute_figures(evidence, limits))
    if evidence.original is not None:
        return limit_findings(results, evidence.plan.steps)
    computed = LimitResults(tuple(result for result in results if result.value is not None))
    not_computed = [result.limit.name for result in results if result.value is None]
    return [
        *limit_findings(computed, evidence.plan.steps),
        *unchecked_limits_findings(not_computed),
    ]


def compute_figures(evidence: Evidence, limits: Limits) -> list[HasFigures]:
    """Return the results that limits need, computed on the released values.

    Parameters
    ----------
    evidence : Evidence
        The released table and, for most figures, the original.
    limits : Limits
        The limits; only what these name is computed.

    Returns
    -------
    list of results
        The measures of the release, with the measures of classes counted on the released values,
        and the attacks, the survey risk and the analyses that limits name.
    """
    original = evidence.original
    assessment = Assessment(
        {**(evidence.measures or {}), **evidence.class_measures()},
        getattr(evidence.measures, "remarks", {}),
    )
    if original is None:
        return [assessment, NotComputed(limits.figures, "Not computed: needs the original.")]
    group_figures = [name for name in limits.figures if name.endswith(WORST_GROUP_SUFFIX)]
    names = [name for name in limits.by("assess").figures if name not in group_figures]
    missing_names = [name for name in names if name not in assessment]
    results: list[HasFigures] = [assessment]
    if group_figures:
        results.append(NotComputed(group_figures, NO_GROUPS))
    if missing_names:
        results.insert(0, _measures(evidence, original, missing_names))
    if limits.by("attack"):
        results.append(_attacks(evidence, original, limits))
    if limits.by("utility"):
        results.append(_analyses(evidence, original, limits))
    if limits.by("risk"):
        results.append(_survey_risk(evidence, original, limits))
    return results


def limits_of(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the limits that a verdict checked, with their figures, as plain data."""
    checked = [finding for finding in verdict.findings if finding.code == "limits-checked"]
    return [dict(entry) for finding in checked for entry in finding.figures.get("limits", ())]


def limit_findings(results: LimitResults, steps: Sequence[Step]) -> list[Finding]:
    """Return a finding on all limits, and for each that fails one that breaks the guarantee.

    The advice names only parameters that the ``steps`` of the plan have.
    """
    if not results:
        return []
    n_met = len(results) - len(results.failed)
    summary = Finding(
        "limits-checked",
        "informs",
        f"{n_met} of {len(results)} limits of the plan are met.",
        {"limits": results.to_list()},
    )
    return [*(_broken_limit(result, steps) for result in results.failed), summary]


def unchecked_limits_findings(names: Sequence[str]) -> list[Finding]:
    """Return a finding that names the limits that need the original."""
    if not names:
        return []
    return [
        Finding(
            "limits-not-checked",
            "informs",
            f"Limits of the plan that need the original are not checked: {', '.join(names)}.",
            {"limits": list(names)},
        )
    ]


def _broken_limit(result: LimitResult, steps: Sequence[Step]) -> Finding:
    """Return the finding on a limit that is not met, or whose figure could not be computed."""
    limit = result.limit
    is_loss = limit.kind == "utility"
    way_out = WAY_OUT.format(
        advice_to_mask_less(steps) if is_loss else advice_to_mask_more(steps),
        "fewer" if is_loss else "more",
    )
    clause = f"The limit {limit.name} = {limit.value:g} is not met"
    sentence = f"{clause}: the release has {result.message}."
    if result.value is None:
        sentence = f"{clause}, because its figure could not be computed. {result.reason}"
        way_out = "Remove the limit, or provide what its figure needs."
    return Finding(
        "limit-broken",
        "breaks",
        sentence,
        {"limit": limit.name, "bound": limit.value, "value": result.value},
        way_out=way_out,
    )


def _measures(evidence: Evidence, original: Frame, names: Sequence[str]) -> HasFigures:
    """Return the measures called ``names``, or why they cannot be computed."""
    try:
        return measure_release(evidence.plan, original, evidence.released, names, evidence.units)
    except InputError as error:
        return NotComputed(names, str(error))


def _attacks(evidence: Evidence, original: Frame, limits: Limits) -> HasFigures:
    """Return the attacks that limits need, or why they are not possible."""
    from shoal.metrics.attacks.run import ATTACKS  # imports compiled loops

    figures = limits.by("attack").figures
    names = [name for name in ATTACKS if set(attack_figure_names(name)) & set(figures)]
    if not names:
        return NotComputed(figures, NO_GROUPS)
    try:
        return attack_release(evidence.plan, original, evidence.released, names)
    except InputError as error:
        return NotComputed(figures, str(error))


def _survey_risk(evidence: Evidence, original: Frame, limits: Limits) -> HasFigures:
    """Return the risk of the release as a sample, or why it cannot be computed."""
    figures = limits.by("risk").figures
    try:
        risk = survey_risk_of_release(evidence.plan, original, evidence.released)
    except InputError as error:
        return NotComputed(figures, str(error))
    return risk or NotComputed(figures, "The plan names no column of survey weights.")


def _analyses(evidence: Evidence, original: Frame, limits: Limits) -> HasFigures:
    """Return the analyses that limits need, or why they are not possible."""
    from shoal.metrics.analyses import FIGURES  # imports scikit-learn

    figures = limits.by("utility").figures
    names = {FIGURES[name].analysis for name in figures if name in FIGURES}
    if not names:
        return NotComputed(figures, NO_GROUPS)
    try:
        return analyse_release(
            evidence.plan,
            original,
            evidence.released,
            sorted(names),
            limits.formulas,
            limits.targets,
            evidence.analysed_columns,
        )
    except InputError as error:
        return NotComputed(figures, str(error))
