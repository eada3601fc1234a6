"""Attacks on a release by someone who knows part of the original; one file for each kind."""

from shoal.metrics._confidence_intervals import wilson_interval
from shoal.metrics.attacks.result import AttackResult, Attacks
from shoal.metrics.attacks.run import ATTACKS, attack

__all__ = ["ATTACKS", "AttackResult", "Attacks", "attack", "wilson_interval"]
