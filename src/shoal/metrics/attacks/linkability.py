"""Linkability: a release connects two sources that hold different columns of a person."""

import numpy as np

from shoal.metrics.attacks._setting import Setting
from shoal.metrics.attacks.result import AttackResult

CEILING = (
    "Records of a class are equal on a half that has quasi-identifiers alone, so that half leads to"
    " at least k records. The chance of drawing the one that the other half leads to is at most 1"
    " in k."
)


def linkability(setting: Setting) -> AttackResult | str:
    """Link two halves of a target's columns through the release [GPA23]_.

    The attacker knows some columns of a person from one source and other columns from another, and
    looks up the nearest released record by each half. The attack succeeds if both are the same
    record. Where several records are equally near, one is drawn for each half: with s and t
    candidates and c in common, the chance is c / (s t).

    Parameters
    ----------
    setting : Setting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out. If one half has only
        quasi-identifiers, at most 1/k, since c is at most the smaller of s and t.

    References
    ----------
    .. [GPA23] Giomi, M., Boenisch, F., Wehmeyer, C. and Tasnádi, B. (2023). A unified framework for
       quantifying privacy risk in synthetic data. Proceedings on Privacy Enhancing Technologies
       2023(2), 312-328.
    """
    halves = setting.halves or _default_halves(setting)
    if halves is None:
        return "Needs at least two columns."
    # Classes on all columns of both halves, so that candidates can be compared.
    rate = _chances(setting, halves, "original")
    if setting.tables.control is not None:
        control = _chances(setting, halves, "control")
        baseline, words = float(control.mean()), "the same attack on the control table"
    else:
        baseline, words = 1 / setting.n_released, "two random records"
    bounded = any(set(half) <= set(setting.quasi_identifiers) for half in halves)
    smallest = setting.smallest_class
    return AttackResult(
        "linkability",
        float(rate.sum()),
        len(rate),
        baseline,
        words,
        (*halves[0], *halves[1]),
        1 / smallest if bounded else None,
        CEILING if bounded else "Neither half has quasi-identifiers alone.",
        f"Halves: {', '.join(halves[0])} and {', '.join(halves[1])}.",
    )


def _default_halves(setting: Setting) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return every other quasi-identifier and the rest; or the only one and the confidential."""
    known = setting.quasi_identifiers
    if len(known) > 1:
        return known[::2], known[1::2]
    return (known, setting.confidential) if setting.confidential else None


def _chances(
    setting: Setting, halves: tuple[tuple[str, ...], tuple[str, ...]], which: str
) -> np.ndarray:
    """Return the chance of each target that both halves lead to the same record."""
    sides = [setting.classes(half) for half in halves]
    neighbours = [setting.neighbours(half, which) for half in halves]  # type: ignore[arg-type]
    chances = np.empty(len(neighbours[0].squares))
    for i in range(len(chances)):
        near = [side_neighbours.of(i) for side_neighbours in neighbours]
        sizes = [int(side.sizes[nearest].sum()) for side, nearest in zip(sides, near, strict=True)]
        smaller, larger = (0, 1) if sizes[0] <= sizes[1] else (1, 0)
        records = sides[smaller].records(near[smaller])
        common = np.isin(sides[larger].labels[records], near[larger]).sum()
        chances[i] = common / (sizes[0] * sizes[1])
    return chances
