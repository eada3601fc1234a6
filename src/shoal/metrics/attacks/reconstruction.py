"""Reconstruction: the value of a person from a group mean and the values of the other members."""

import numpy as np

from shoal.metrics._array_types import Values
from shoal.metrics.attacks._setting import AttackSetting
from shoal.metrics.attacks.linkage import NOT_ALIGNED
from shoal.metrics.attacks.result import AttackResult

NO_CEILING = "k protects only against those who know fewer than k - 1 other members of a class."


def reconstruction(setting: AttackSetting) -> AttackResult | str:
    """Subtract known values from the sum of a group to learn the value of another member.

    An insider knows the original values of k - 1 other members of a target's class of g records, as
    colleagues of the target who compare their data do. The class mean times g, minus what is
    known, is the sum of the other g - k + 1 values; their mean is the guess. In a class of k
    records it is the value of the target itself.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out. Near 1 where classes of k records have
        their mean, by design: it is what k does not protect from.
    """
    if not setting.aligned:
        return NOT_ALIGNED
    k = int(setting.classes(setting.quasi_identifiers).sizes.min())
    if k < 2:
        return "Needs classes of at least two records."
    columns = [name for name in setting.quasi_identifiers if _is_masked(setting, name)]
    if not columns:
        return "Needs a masked numeric quasi-identifier."
    guesses, released_values, true_values = _guess_values(setting, columns, k)
    is_present = ~np.isnan(guesses) & ~np.isnan(true_values)
    is_right, is_right_without_attack = (
        np.abs(guess - true_values)[is_present]
        <= setting.options.tolerance * np.abs(true_values[is_present])
        for guess in (guesses, released_values)
    )
    return AttackResult(
        name="reconstruction",
        successes=float(is_right.sum()),
        trials=len(is_right),
        baseline=float(is_right_without_attack.mean()) if len(is_right_without_attack) else 0.0,
        baseline_of="the released value as it is",
        columns=tuple(columns),
        ceiling_reason=NO_CEILING,
        remark=f"The insider knows {k - 1} other members of the class.",
    )


def _guess_values(
    setting: AttackSetting, columns: list[str], k: int
) -> tuple[Values, Values, Values]:
    """Return the guess, the released value and the true value of a random column of each target."""
    released_classes = setting.classes(setting.quasi_identifiers)
    rng = setting.rng("reconstruction")
    guesses, released_values, true_values = np.full((3, len(setting.targets)), np.nan)
    for i, target in enumerate(setting.targets.tolist()):
        name = columns[int(rng.integers(len(columns)))]
        original, released = setting.tables.original[name], setting.tables.released[name]
        group = released_classes.members(released_classes.labels[[target]])
        known_records = rng.choice(group[group != target], k - 1, replace=False)
        remainder = len(group) * released[target] - original[known_records].sum()
        guesses[i] = remainder / (len(group) - (k - 1))
        released_values[i], true_values[i] = released[target], original[target]
    return guesses, released_values, true_values


def _is_masked(setting: AttackSetting, name: str) -> bool:
    tables = setting.tables
    if not tables.is_quantitative(name):
        return False
    return not np.array_equal(tables.original[name], tables.released[name], equal_nan=True)
