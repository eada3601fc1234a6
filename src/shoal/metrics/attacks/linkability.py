"""Linkability: connect two sources with different columns of a person through the release."""

import numpy as np

from shoal.metrics._array_types import Values
from shoal.metrics.attacks._setting import AttackSetting, TargetTable
from shoal.metrics.attacks.result import AttackResult

CEILING = (
    "Records of a class are equal on a half that has only quasi-identifiers, so this half leads to"
    " at least k records. The chance of drawing the record that the other half leads to is at most"
    " 1 in k."
)


def linkability(setting: AttackSetting) -> AttackResult | str:
    """Link two halves of a target's columns through the release [GPA23]_.

    The attacker knows some columns of a person from one source and other columns from another, and
    looks up the nearest released record by each half. The attack succeeds if both are the same
    record. If several records are equally near, one is drawn for each half: with s candidates for
    one half, t for the other, and c in common, the chance of success is c / (s t).

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out. If one half has only
        quasi-identifiers, the rate is at most 1/k, since c is at most the smaller of s and t.

    References
    ----------
    .. [GPA23] Giomi, M., Boenisch, F., Wehmeyer, C. and Tasnádi, B. (2023). A unified framework for
       quantifying privacy risk in synthetic data. Proceedings on Privacy Enhancing Technologies
       2023(2), 312-328.
    """
    halves = setting.options.halves or _default_halves(setting)
    if halves is None:
        return "Needs at least two columns."
    success_chances = _success_chances(setting, halves, "original")
    if setting.tables.control is not None:
        baseline = float(_success_chances(setting, halves, "control").mean())
        baseline_of = "the same attack on the control table"
    else:
        baseline, baseline_of = 1 / setting.n_released, "two random records"
    is_bounded = any(set(half) <= set(setting.quasi_identifiers) for half in halves)
    return AttackResult(
        name="linkability",
        successes=float(success_chances.sum()),
        trials=len(success_chances),
        baseline=baseline,
        baseline_of=baseline_of,
        columns=(*halves[0], *halves[1]),
        ceiling=1 / setting.smallest_class if is_bounded else None,
        ceiling_reason=CEILING if is_bounded else "Both halves have other columns too.",
        remark=f"Halves: {', '.join(halves[0])} and {', '.join(halves[1])}.",
    )


def _default_halves(setting: AttackSetting) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return every second quasi-identifier and the others, or None if there are not two columns.

    A single quasi-identifier is paired with the confidential columns.
    """
    quasi_identifiers = setting.quasi_identifiers
    if len(quasi_identifiers) > 1:
        return quasi_identifiers[::2], quasi_identifiers[1::2]
    return (quasi_identifiers, setting.confidential) if setting.confidential else None


def _success_chances(
    setting: AttackSetting,
    halves: tuple[tuple[str, ...], tuple[str, ...]],
    target_table: TargetTable,
) -> Values:
    """Return for each target the chance that both halves lead to the same record."""
    half_classes = [setting.classes(half) for half in halves]
    neighbours = [setting.neighbours(half, target_table) for half in halves]
    chances = np.empty(len(neighbours[0].squared_distances))
    for i in range(len(chances)):
        nearest_by_half = [half_neighbours.nearest_to(i) for half_neighbours in neighbours]
        sizes = [
            int(classes.sizes[nearest].sum())
            for classes, nearest in zip(half_classes, nearest_by_half, strict=True)
        ]
        smaller, larger = (0, 1) if sizes[0] <= sizes[1] else (1, 0)
        records = half_classes[smaller].members(nearest_by_half[smaller])
        n_common = np.isin(half_classes[larger].labels[records], nearest_by_half[larger]).sum()
        chances[i] = n_common / (sizes[0] * sizes[1])
    return chances
