"""Attribute inference: guess a confidential value from the released records nearest to a person."""

from math import isnan

import numpy as np

from shoal.metrics._array_types import Values
from shoal.metrics.attacks._setting import AttackSetting, TargetTable
from shoal.metrics.attacks._tables import Column
from shoal.metrics.attacks.result import AttackResult

NO_CEILING = (
    "k limits which record is found, not what the records of a class have in common; l-diversity"
    " and t-closeness do."
)


def inference(setting: AttackSetting) -> list[AttackResult] | str:
    """Guess each confidential column of a target from the nearest released records [GPA23]_.

    The attacker knows the quasi-identifiers of a target and looks up the nearest released records.
    The guess is the most frequent value of these records, or their median if the column is numeric.
    A number is right if its error, relative to the true value, is within the tolerance.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    list of AttackResult or str
        One result for each confidential column, or why there is none.

    References
    ----------
    .. [GPA23] Giomi, M., Boenisch, F., Wehmeyer, C. and Tasnádi, B. (2023). A unified framework for
       quantifying privacy risk in synthetic data. Proceedings on Privacy Enhancing Technologies
       2023(2), 312-328.
    """
    if not setting.confidential:
        return "Needs a confidential column in all tables."
    return [_attack_column(setting, name) for name in setting.confidential]


def _attack_column(setting: AttackSetting, name: str) -> AttackResult:
    """Return the result of guessing one confidential column."""
    tables = setting.tables
    true_values = tables.original[name][setting.targets]
    success_chances = _success_chances(setting, name, true_values, "original")
    is_known = ~np.isnan(success_chances)
    if tables.control is not None:
        true_values = tables.control[name][setting.control_targets]
        control_chances = _success_chances(setting, name, true_values, "control")
        baseline = float(np.nanmean(control_chances)) if (~np.isnan(control_chances)).any() else 0.0
        baseline_of = "the same attack on the control table"
    else:
        guesses = best_guesses(tables.released[name])
        guess_chances = [
            _success_chance(guesses, value, setting.options.tolerance)
            for value in true_values.tolist()
        ]
        baseline = float(np.array(guess_chances)[is_known].mean()) if is_known.any() else 0.0
        baseline_of = (
            "guessing the most frequent released value (for numbers, the median) for every target"
        )
    return AttackResult(
        name=f"inference:{name}",
        successes=float(success_chances[is_known].sum()),
        trials=int(is_known.sum()),
        baseline=baseline,
        baseline_of=baseline_of,
        columns=setting.quasi_identifiers,
        ceiling_reason=NO_CEILING,
    )


def _success_chances(
    setting: AttackSetting, name: str, true_values: Column, target_table: TargetTable
) -> Values:
    """Return for each target the chance that the guess is right, or NaN if its value is missing."""
    neighbours = setting.neighbours(setting.quasi_identifiers, target_table)
    released_classes = setting.classes(setting.quasi_identifiers)
    values = setting.tables.released[name]
    # Targets with the same nearest records have the same guesses.
    guesses_by_nearest: dict[bytes, list[float]] = {}
    chances = np.empty(len(true_values))
    for i, value in enumerate(true_values.tolist()):
        nearest = neighbours.nearest_to(i)
        key = nearest.tobytes()
        if key not in guesses_by_nearest:
            guesses_by_nearest[key] = best_guesses(values[released_classes.members(nearest)])
        chances[i] = _success_chance(guesses_by_nearest[key], value, setting.options.tolerance)
    return chances


def best_guesses(values: Column) -> list[float]:
    """Return the most frequent values, several if they are tied, or the median of numbers.

    Examples
    --------
    >>> best_guesses(np.array([2, 1, 2, 1, 0])), best_guesses(np.array([1.0, np.nan, 9.0, 2.0]))
    ([1, 2], [2.0])
    """
    if values.dtype == np.float64:
        present_values = values[~np.isnan(values)]
        return [float(np.median(present_values))] if len(present_values) else []
    distinct, counts = np.unique(values, return_counts=True)
    return list(distinct[counts == counts.max()].tolist())


def _success_chance(guesses: list[float], true_value: float, tolerance: float) -> float:
    """Return the chance that one of the guesses, drawn at random, is right.

    It is NaN if the true value is a missing number.
    """
    if isnan(true_value):
        return float("nan")
    if isinstance(true_value, int):  # the code of a category
        return (true_value in guesses) / len(guesses)
    return float(bool(guesses) and abs(guesses[0] - true_value) <= tolerance * abs(true_value))
