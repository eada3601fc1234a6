"""Singling out: conditions, read off the release, that exactly one person meets."""

import numpy as np

from shoal.metrics.attacks._predicates import (
    Predicates,
    concatenate,
    from_records,
    matrix,
    random_predicates,
    rare_values,
)
from shoal.metrics.attacks._setting import Setting
from shoal.metrics.attacks.result import AttackResult

NO_CEILING = "k does not limit how many records meet a predicate, and some meet one by chance."


def univariate(setting: Setting) -> AttackResult | str:
    """Single out by one quasi-identifier: rare values, the least and the greatest [GPA23]_.

    A predicate is a value that a single class of released records has, or ``at most`` the least and
    ``at least`` the greatest released number. It succeeds if exactly one original record meets it.

    Parameters
    ----------
    setting : Setting
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
    names = setting.quasi_identifiers
    rng = setting.rng("singling-out-univariate")
    predicates = _sample(rare_values(setting, names), setting.n_attacks, rng)
    return _evaluate(setting, "singling-out-univariate", names, predicates, len(predicates), 1)


def multivariate(setting: Setting) -> AttackResult | str:
    """Single out by several quasi-identifiers of one released record [GPA23]_.

    For a few random columns, a predicate takes the categories of a random released record as they
    are, and its numbers as ``at least`` where they are above the median and ``at most`` otherwise.
    It is kept if it matches a single class of released records, and succeeds if exactly one
    original record meets it.

    Parameters
    ----------
    setting : Setting
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
    return _several_columns(setting, "singling-out-multivariate", setting.quasi_identifiers)


def all_columns(setting: Setting) -> AttackResult | str:
    """Single out by any columns of the release, confidential ones and those without a role too.

    Predicates of one column and of several are tried in equal numbers. A column that was released
    unchanged and has a value of its own for each record makes every predicate succeed.

    Parameters
    ----------
    setting : Setting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out.
    """
    names = tuple(setting.tables.released)
    if set(names) == set(setting.quasi_identifiers):
        return "The tables have no columns in common besides the quasi-identifiers."
    return _several_columns(setting, "singling-out-all-columns", names, with_rare=True)


def _several_columns(
    setting: Setting, name: str, names: tuple[str, ...], *, with_rare: bool = False
) -> AttackResult:
    rng = setting.rng(name)
    n = setting.n_attacks
    rare = _sample(rare_values(setting, names), n // 2 if with_rare else 0, rng)
    width = min(setting.predicate_columns, len(names))
    predicates, tries = from_records(setting, name, names, width, n - len(rare), rng)
    return _evaluate(setting, name, names, concatenate(rare, predicates), len(rare) + tries, width)


def _sample(predicates: Predicates, number: int, rng: np.random.Generator) -> Predicates:
    """Return at most ``number`` of the predicates, in random order."""
    return predicates.take(rng.permutation(len(predicates))[:number])


def _evaluate(
    setting: Setting,
    name: str,
    names: tuple[str, ...],
    predicates: Predicates,
    tries: int,
    width: int,
) -> AttackResult:
    """Return how many predicates match exactly one original record."""
    tables = setting.tables
    original = matrix(tables.original, names)
    jobs = setting.n_jobs
    right = (predicates.count(original, jobs) == 1).sum()
    if tables.control is not None and len(predicates):
        control = matrix(tables.control, names, setting.control_rows)
        baseline = float((predicates.count(control, jobs) == 1).mean())
        words = "the same predicates on the control table"
    else:
        random = random_predicates(setting, names, width, setting.rng(f"{name}, random"))
        baseline = float((random.count(original, jobs) == 1).mean())
        words = "random predicates on the original"
    remark = ""
    if not len(predicates):
        remark = f"None of {tries:,} predicates matched a single class of the release."
    return AttackResult(
        name=name,
        successes=float(right),
        trials=len(predicates) or tries,
        baseline=baseline,
        baseline_of=words,
        columns=names,
        ceiling_reason=NO_CEILING,
        remark=remark,
    )
