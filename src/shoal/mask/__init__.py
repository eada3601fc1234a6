"""Groups become values."""

from shoal.mask.microaggregate import Microaggregate, Outcome

STEPS = {"microaggregate": Microaggregate}

__all__ = ["STEPS", "Microaggregate", "Outcome"]
