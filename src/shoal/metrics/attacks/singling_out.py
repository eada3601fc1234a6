"""Singling out: conditions, taken from the release, that exactly one original record meets."""

import numpy as np

from shoal.metrics.attacks._predicates import (
    Predicates,
    as_matrix,
    concatenate,
    predicates_from_records,
    random_predicates,
    rare_value_predicates,
)
from shoal.metrics.attacks._setting import AttackSetting
from shoal.metrics.attacks.result import AttackResult

NO_CEILING = (
    "k does not limit how many original records meet a predicate; exactly one may do so by chance."
)


def univariate(setting: AttackSetting) -> AttackResult:
    """Single out by a rare, the smallest or the largest value of one quasi-identifier [GPA23]_.

    A predicate is equality with a value that a single class of released records has, or ``at most``
    the smallest or ``at least`` the largest released number. It succeeds if exactly one original
    record meets it.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult
        The result; there may be fewer predicates than attacks requested.

    References
    ----------
    .. [GPA23] Giomi, M., Boenisch, F., Wehmeyer, C. and Tasnádi, B. (2023). A unified framework for
       quantifying privacy risk in synthetic data. Proceedings on Privacy Enhancing Technologies
       2023(2), 312-328.
    """
    names = setting.quasi_identifiers
    rng = setting.rng("singling-out-univariate")
    predicates = _sample(rare_value_predicates(setting, names), setting.options.n_attacks, rng)
    return _evaluate(setting, "singling-out-univariate", names, predicates, len(predicates), 1)


def multivariate(setting: AttackSetting) -> AttackResult | str:
    """Single out by several quasi-identifiers of one released record [GPA23]_.

    A predicate consists of conditions on a few random columns, taken from a random released record:
    its categories as they are, its numbers as ``at least`` if they are above the median and ``at
    most`` otherwise. A predicate is kept if it matches a single class of released records, and
    succeeds if exactly one original record meets it.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out.

    References
    ----------
    .. [GPA23] Giomi, M., Boenisch, F., Wehmeyer, C. and Tasnádi, B. (2023). A unified framework for
       quantifying privacy risk in synthetic data. Proceedings on Privacy Enhancing Technologies
       2023(2), 312-328.
    """
    if len(setting.quasi_identifiers) < 2:
        return "Needs at least two quasi-identifiers."
    return _attack_several_columns(setting, "singling-out-multivariate", setting.quasi_identifiers)


def all_columns(setting: AttackSetting) -> AttackResult | str:
    """Single out by any columns of the release, including those with another role or none.

    Half of the predicates have one column, or fewer if too few values are rare; the others have
    several columns. If a column was released unchanged and no two of its values are equal, every
    predicate with this column succeeds.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out.
    """
    names = tuple(setting.tables.released)
    if set(names) == set(setting.quasi_identifiers):
        return "The tables have no columns in common besides the quasi-identifiers."
    return _attack_several_columns(
        setting, "singling-out-all-columns", names, with_rare_values=True
    )


def _attack_several_columns(
    setting: AttackSetting,
    attack_name: str,
    columns: tuple[str, ...],
    *,
    with_rare_values: bool = False,
) -> AttackResult:
    rng = setting.rng(attack_name)
    n_attacks = setting.options.n_attacks
    n_rare = n_attacks // 2 if with_rare_values else 0
    rare_predicates = _sample(rare_value_predicates(setting, columns), n_rare, rng)
    n_conditions = min(setting.options.predicate_columns, len(columns))
    predicates, n_tries = predicates_from_records(
        setting, attack_name, columns, n_conditions, n_attacks - len(rare_predicates), rng
    )
    return _evaluate(
        setting,
        attack_name,
        columns,
        concatenate(rare_predicates, predicates),
        len(rare_predicates) + n_tries,
        n_conditions,
    )


def _sample(predicates: Predicates, max_predicates: int, rng: np.random.Generator) -> Predicates:
    """Return at most ``max_predicates`` of the predicates, in random order."""
    return predicates.take(rng.permutation(len(predicates))[:max_predicates])


def _evaluate(
    setting: AttackSetting,
    attack_name: str,
    columns: tuple[str, ...],
    predicates: Predicates,
    n_tries: int,
    n_conditions: int,
) -> AttackResult:
    """Return the result of an attack: the predicates that match exactly one original record."""
    tables = setting.tables
    original = as_matrix(tables.original, columns)
    n_jobs = setting.options.n_jobs
    n_successes = (predicates.count(original, n_jobs) == 1).sum()
    if tables.control is not None and len(predicates):
        control = as_matrix(tables.control, columns, setting.control_rows)
        baseline = float((predicates.count(control, n_jobs) == 1).mean())
        baseline_of = "the same predicates on the control table"
    else:
        random_baseline = random_predicates(
            setting, columns, n_conditions, setting.rng(f"{attack_name}, random")
        )
        baseline = float((random_baseline.count(original, n_jobs) == 1).mean())
        baseline_of = "random predicates on the original"
    remark = ""
    if not len(predicates):
        remark = f"None of {n_tries:,} predicates matched a single class of the release."
    return AttackResult(
        name=attack_name,
        successes=float(n_successes),
        trials=len(predicates) or n_tries,
        baseline=baseline,
        baseline_of=baseline_of,
        columns=columns,
        ceiling_reason=NO_CEILING,
        remark=remark,
    )
