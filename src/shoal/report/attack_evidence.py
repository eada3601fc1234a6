"""Evidence for reviewers: attacks on a release by criterion, what was tested and what was not.

The criteria are those of European guidance on anonymisation: singling out, linkability and
inference. The evidence is part of internal reports only. It contains rates, not single records.
"""

from typing import Any, NamedTuple

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.missing_codes import without_codes
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.metrics.attacks.result import AttackResult, Attacks
from shoal.plan.assessment import attack_release, survey_risk_of_release
from shoal.plan.findings.phrases import join_few
from shoal.plan.release import Release

ON_REQUEST = "Carried out only on request."


class Criterion(NamedTuple):
    """A question of reviewers, the attacks that answer it, and what these leave open."""

    name: str
    question: str
    attacks: tuple[str, ...]
    untested: str


CRITERIA = (
    Criterion(
        "Singling out",
        "Can conditions on the columns isolate one person?",
        ("singling-out-univariate", "singling-out-multivariate", "singling-out-all-columns"),
        "attackers who know columns that are not in the release, or who choose the persons to"
        " single out",
    ),
    Criterion(
        "Linkability",
        "Can a record be linked with the person it is about, or with another record of the person?",
        (
            "linkability", "linkage-distance", "linkage-rank", "linkage-probabilistic",
            "linkage-splink",
        ),  # fmt: skip
        "links through earlier releases (see `shoal verify --earlier`), and through other tables",
    ),
    Criterion(
        "Inference",
        "Can something about a person be derived from the release?",
        ("inference", "membership", "reconstruction"),
        "models other than the nearest released records, and attackers who know confidential"
        " values of other persons",
    ),
)  # fmt: skip


def gather_evidence(release: Release, original: IntoDataFrame) -> dict[str, Any]:
    """Attack a release and sort the results by criterion, as plain data.

    Parameters
    ----------
    release : Release
        The release.
    original : pandas, polars or pyarrow table
        The table that the plan was run on.

    Returns
    -------
    dict
        The seed, the criteria with their attacks, and figures of the survey risk.
    """
    plan, released = release.plan, tables.open_frame(release.data)
    original_frame = without_codes(tables.open_frame(original), plan.missing_codes)
    original_frame = (
        original_frame if release.rows is None else tables.take(original_frame, release.rows)
    )
    try:
        attacks = attack_release(plan, original_frame, released)
    except InputError as error:
        return {"error": str(error), "survey": _survey(release, original_frame, released)}
    return {
        "error": "",
        "k": attacks.k,
        "unit": attacks.unit,
        "counted": attacks.counted,
        "seed": attacks.seed,
        "remarks": list(attacks.remarks),
        "criteria": [_criterion(criterion, attacks) for criterion in CRITERIA],
        "survey": _survey(release, original_frame, released),
    }


def _criterion(criterion: Criterion, attacks: Attacks) -> dict[str, Any]:
    """Return the results of one criterion, and what was not tested."""
    results = [
        result for result in attacks.results if result.name.partition(":")[0] in criterion.attacks
    ]
    exceeded = [result.name for result in results if result.exceeds_ceiling]
    excess = max((result.excess for result in results), default=None)
    return {
        "name": criterion.name,
        "question": criterion.question,
        "greatest_excess": excess,
        "exceeded": exceeded,
        "tests": [_test(result) for result in results],
        "not_run": {
            name: attacks.not_run.get(name, ON_REQUEST)
            for name in criterion.attacks
            if name not in (result.name.partition(":")[0] for result in results)
        },
        "untested": criterion.untested,
    }


def _test(result: AttackResult) -> dict[str, Any]:
    """Return one attack, with what the attacker knows in words."""
    return {**result.to_dict(), "knows": join_few(result.columns) if result.columns else ""}


def _survey(release: Release, original: Frame, released: Frame) -> dict[str, Any]:
    """Return the figures of the survey risk, or an empty dict without weights."""
    try:
        risk = survey_risk_of_release(release.plan, original, released)
    except InputError as error:
        return {"error": str(error), "figures": {}}
    if risk is None:
        return {}
    figures = {"sampling_fraction": risk.sampling_fraction, **risk.figures()}
    return {"error": "", "figures": figures}
