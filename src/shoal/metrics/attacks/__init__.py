"""Attacks on a release by somebody who knows a part of the data, one kind a file."""

from shoal.metrics.attacks.result import AttackResult, Attacks, wilson_interval
from shoal.metrics.attacks.run import ATTACKS, attack

__all__ = ["ATTACKS", "AttackResult", "Attacks", "attack", "wilson_interval"]
