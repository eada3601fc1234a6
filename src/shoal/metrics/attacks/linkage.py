"""Linkage: find the released record of a person whose quasi-identifiers are known."""

from dataclasses import replace

import numpy as np

from shoal.metrics._array_types import Rows, Values
from shoal.metrics.attacks._setting import AttackSetting, Scale
from shoal.metrics.attacks.result import AttackResult

NOT_ALIGNED = "Needs the same records in the same order in both tables."
DIRECTION = (
    "This attack links each known record with the nearest released record; the measure 'linkage'"
    " links each released record with the nearest original record."
)
CEILING = (
    "Released records of a class are equal on all columns of the attack, so the attacker picks the"
    " right one with a chance of at most 1 in k."
)
CEILING_OF_UNITS = (
    "Released records of a class are equal on all columns of the attack; the ceiling is the"
    " largest share of one unit among the records of a class."
)


def distance_linkage(setting: AttackSetting) -> AttackResult | str:
    """Link each target with the nearest released record [PS99]_.

    The attacker knows the original quasi-identifiers of a target and takes the nearest released
    record, on the scale of the release. If t records are equally near, the chance of drawing
    the right one is 1/t.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out. With classes of at least k records, at
        most 1/k of the targets can be expected to be linked.

    References
    ----------
    .. [PS99] Pagliuca, D. and Seri, G. (1999). Some results of individual ranking method on the
       system of enterprise accounts annual survey. Esprit SDC Project, Deliverable MI-3/D2.
    """
    result = _link(setting, "linkage-distance", "values")
    return result if isinstance(result, str) else replace(result, remark=DIRECTION)


def rank_linkage(setting: AttackSetting) -> AttackResult | str:
    """Link each target with the released record whose ranks are nearest [MD16]_.

    Each number is replaced by its rank in its own table, which undoes any masking that keeps the
    order of the values but not the values themselves.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out. With classes of at least k records, at
        most 1/k of the targets can be expected to be linked.

    References
    ----------
    .. [MD16] Muralidhar, K. and Domingo-Ferrer, J. (2016). Rank-based record linkage for
       re-identification risk assessment. Privacy in Statistical Databases, LNCS 9867, 225-236.
    """
    if not any(map(setting.tables.is_quantitative, setting.quasi_identifiers)):
        return "Needs a quasi-identifier with ordered values."
    return _link(setting, "linkage-rank", "ranks")


def _link(setting: AttackSetting, name: str, scale: Scale) -> AttackResult | str:
    """Return the result of linking each target with a random record of its nearest classes.

    A string is the reason why the attack cannot be carried out.
    """
    if not setting.aligned:
        return NOT_ALIGNED
    neighbours = setting.neighbours(setting.quasi_identifiers, scale=scale)
    released_classes = setting.classes(setting.quasi_identifiers)
    starts, records = correct_records(setting, setting.targets)
    correct_classes = released_classes.labels[records]
    chances = np.empty(len(setting.targets))
    for i in range(len(chances)):
        nearest = neighbours.nearest_to(i)
        n_correct = np.isin(correct_classes[starts[i] : starts[i + 1]], nearest).sum()
        chances[i] = n_correct / released_classes.sizes[nearest].sum()
    return linkage_result(setting, name, chances)


def correct_records(setting: AttackSetting, targets: Rows) -> tuple[Rows, Rows]:
    """Return the records that are a correct link for each target: its own, or all of its unit.

    The arrays are ``starts`` and ``records``: the records of target i begin at position
    ``starts[i]`` of ``records`` and end before ``starts[i + 1]``.
    """
    if setting.units is None:
        return np.arange(len(targets) + 1), targets
    sizes = np.bincount(setting.units)
    order = np.argsort(setting.units, kind="stable")
    starts = np.cumsum(sizes) - sizes
    units = setting.units[targets]
    records = [order[starts[unit] : starts[unit] + sizes[unit]] for unit in units.tolist()]
    return np.concatenate([[0], np.cumsum(sizes[units])]), np.concatenate(records)


def linkage_result(setting: AttackSetting, name: str, chances: Values) -> AttackResult:
    """Return the result of a linkage attack, given the chance of a correct link for each target."""
    if setting.units is None:
        baseline, baseline_of = 1 / setting.n_released, "a random record"
    else:
        sizes = np.bincount(setting.units)
        baseline = float(sizes[setting.units[setting.targets]].mean() / setting.n_released)
        baseline_of = "a random record, right if it belongs to the same unit"
    return AttackResult(
        name=name,
        successes=float(chances.sum()),
        trials=len(chances),
        baseline=baseline,
        baseline_of=baseline_of,
        columns=setting.quasi_identifiers,
        ceiling=setting.unit_share,
        ceiling_reason=CEILING if setting.units is None else CEILING_OF_UNITS,
    )
