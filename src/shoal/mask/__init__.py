"""Groups become values, and other ways to mask."""

from shoal.mask._step import Grouping, Outcome, Step
from shoal.mask.add_noise import AddNoise
from shoal.mask.hybridise import Hybridise
from shoal.mask.microaggregate import Microaggregate
from shoal.mask.rank_swap import RankSwap
from shoal.mask.round import Round
from shoal.mask.suppress import Suppress
from shoal.mask.swap import Swap
from shoal.mask.top_bottom_code import TopBottomCode

STEPS: dict[str, type[Step]] = {
    step.name: step
    for step in (
        Microaggregate, Swap, Hybridise, RankSwap, AddNoise, TopBottomCode, Round, Suppress,
    )
}  # fmt: skip

__all__ = [
    "STEPS",
    "AddNoise",
    "Grouping",
    "Hybridise",
    "Microaggregate",
    "Outcome",
    "RankSwap",
    "Round",
    "Step",
    "Suppress",
    "Swap",
    "TopBottomCode",
]
