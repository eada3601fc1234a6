"""Membership inference: find out whether a person is in the released table at all."""

import numpy as np

from shoal.metrics.attacks._setting import AttackSetting
from shoal.metrics.attacks.result import AttackResult

NO_CEILING = "k does not limit what a release reveals about who is in the table."


def membership(setting: AttackSetting) -> AttackResult | str:
    """Guess whether a target is in the table from the distance to the nearest released record.

    Half of the targets are in the original, the other half in the control table. The attacker knows
    their quasi-identifiers, and guesses that the half with the shorter distances to the nearest
    released record is in the original. Among equal distances at the threshold, the guess is random.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out. Random guessing has a rate of 0.5.
    """
    if setting.tables.control is None:
        return "Needs a control table: records of the same kind that are not in the original."
    names = setting.quasi_identifiers
    rng = setting.rng("membership")
    member_distances = setting.neighbours(names).squared_distances
    non_member_distances = setting.neighbours(names, "control").squared_distances
    half = min(len(member_distances), len(non_member_distances))
    member_distances = rng.choice(member_distances, half, replace=False)
    non_member_distances = rng.choice(non_member_distances, half, replace=False)
    distances = np.concatenate([member_distances, non_member_distances])
    threshold = np.sort(distances)[half - 1]
    # The probability with which each target is guessed to be a member.
    guesses = np.where(distances < threshold, 1.0, 0.0)
    is_tied = distances == threshold
    guesses[is_tied] = (half - guesses.sum()) / is_tied.sum()
    return AttackResult(
        name="membership",
        successes=float(guesses[:half].sum() + (1 - guesses[half:]).sum()),
        trials=2 * half,
        baseline=0.5,
        baseline_of="a random guess",
        columns=names,
        ceiling_reason=NO_CEILING,
    )
