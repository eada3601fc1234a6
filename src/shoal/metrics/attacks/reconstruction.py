"""Reconstruction of a person's value from a class mean and the values of other members."""

import numpy as np

from shoal.metrics._array_types import Values
from shoal.metrics.attacks._setting import AttackSetting
from shoal.metrics.attacks.linkage import NOT_ALIGNED
from shoal.metrics.attacks.result import AttackResult

NO_CEILING = "k protects only against attackers who know fewer than k - 1 other members of a class."


def reconstruction(setting: AttackSetting) -> AttackResult | str:
    """Subtract known values from the sum of a class to learn the value of another member.

    Insiders, such as colleagues of the target who compare their data, know the original values of
    k - 1 other members of its class of g records. The class mean times g, minus the known values,
    is the sum of the other g - k + 1 values. The mean of these values is the guess; in a class of k
    records, it is the value of the target itself.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out. The rate is near 1 if classes of k
        records are replaced by their means: k does not protect from this attack.
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
        baseline_of="the released value itself",
        columns=tuple(columns),
        ceiling_reason=NO_CEILING,
        remark=f"The insider knows {k - 1} other members of the class.",
    )


def _guess_values(
    setting: AttackSetting, columns: list[str], k: int
) -> tuple[Values, Values, Values]:
    """Return the guess, released value and true value of each target, in a random column."""
    released_classes = setting.classes(setting.quasi_identifiers)
    rng = setting.rng("reconstruction")
    guesses, released_values, true_values = np.full((3, len(setting.targets)), np.nan)
    for i, target in enumerate(setting.targets.tolist()):
        name = columns[int(rng.integers(len(columns)))]
        original = setting.tables.original[name]
        released = setting.tables.released[name]
        members = released_classes.members(released_classes.labels[[target]])
        known_records = rng.choice(members[members != target], k - 1, replace=False)
        remainder = len(members) * released[target] - original[known_records].sum()
        guesses[i] = remainder / (len(members) - (k - 1))
        released_values[i] = released[target]
        true_values[i] = original[target]
    return guesses, released_values, true_values


def _is_masked(setting: AttackSetting, name: str) -> bool:
    tables = setting.tables
    if not tables.is_quantitative(name):
        return False
    return not np.array_equal(tables.original[name], tables.released[name], equal_nan=True)
