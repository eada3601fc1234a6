"""Checks whether a released file meets the limits of its plan, and further limits."""

from collections.abc import Iterator

from shoal.audit.check import Check
from shoal.metrics.limits import Limits
from shoal.plan.evidence import Evidence
from shoal.plan.findings.limits import compute_figures, limits_of
from shoal.plan.verdict import Verdict


def check_limits(evidence: Evidence, limits: Limits, verdict: Verdict | None) -> Iterator[Check]:
    """Yield a check of each limit, of the plan and of ``limits``.

    Without the original, a limit of the plan that needs it is not checked, and a limit of
    ``limits`` that needs it fails, since the caller asked whether it is met.

    Parameters
    ----------
    evidence : Evidence
        The released file and, if it is available, the original.
    limits : Limits
        Further limits, besides the limits of the plan.
    verdict : Verdict or None
        The verdict of the repeated run, which has checked the limits of the plan.

    Yields
    ------
    Check
        Whether one limit is met.
    """
    if verdict is not None and not limits:
        for entry in limits_of(verdict):
            message = entry["reason"] or f"{entry['value']:.4g}"
            yield _limit_check(entry["limit"], entry["bound"], entry["passed"], message)
        return
    all_limits = evidence.plan.limits.merged(limits)
    extra_names = {limit.name for limit in limits}
    for result in all_limits.check(*compute_figures(evidence, all_limits)):
        passed: bool | None = result.passed
        is_extra = result.limit.name in extra_names
        if result.value is None and evidence.original is None and not is_extra:
            passed = None
        yield _limit_check(result.limit.name, result.limit.value, passed, result.message)


def _limit_check(name: str, bound: float, passed: bool | None, message: str) -> Check:
    return Check(f"limit {name} = {bound:g}", passed, message)
