"""Groups become values."""

from shoal.mask._step import Grouping, Outcome, Step
from shoal.mask.microaggregate import Microaggregate

STEPS: dict[str, type[Step]] = {step.name: step for step in (Microaggregate,)}

__all__ = ["STEPS", "Grouping", "Microaggregate", "Outcome", "Step"]
