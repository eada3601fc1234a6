"""Microaggregation with preservation of statistical dependence: all figures with data."""

from collections.abc import Callable
from functools import partial

from reproduction.dependence import blocks, diversity, draws, illustrations, trade_off, variants
from reproduction.page import Page, Section

PAGE = Page(
    "dependence-preserving",
    "k-Anonymous microaggregation with preservation of statistical dependence",
    "D. Rebollo-Monedero, J. Forné, M. Soriano and J. Puiggalí Allepuz (2016). Information Sciences"
    " 342, 1-23.",
    "The paper prints figures, but hardly any numbers: we draw the same axes, give our numbers in"
    " digits, and compare them with what its text says. MDAV groups by the quasi-identifiers X and"
    " the confidential columns Y, weighted by λ; only X is masked. D_X and D_Y are SSE / SST of X"
    " and Y. In Census and Tarragona the first six columns are X and the other seven are Y. The"
    " Gaussian tables have 1,000 records, one column X and one column Y; the paper's own draws are"
    " not known, so ours come from a fixed seed.",
)

FIGURES = {
    9: "gaussian 0.5",
    10: "gaussian 0.9",
    11: "census",
    12: "tarragona",
}

SECTIONS: tuple[Callable[[], Section], ...] = (
    illustrations.figure_1,
    illustrations.figure_5,
    trade_off.figure_8,
    trade_off.claims_on_8,
    *(
        partial(part, number, name)
        for number, name in FIGURES.items()
        for part in (trade_off.trade_off, trade_off.trade_off_numbers)
    ),
    trade_off.claims_on_9_to_12,
    variants.chosen_lambdas,
    draws.claims,
    variants.predicted_columns,
    diversity.figure_13,
    diversity.digits_of_figure_13,
    diversity.category_counts,
    diversity.claims,
    variants.risk_numbers,
    blocks.figure_14,
    blocks.digits_of_figure_14,
    blocks.potential_cells,
    blocks.claims,
    variants.block_choice,
    variants.claims_on_independent_columns,
)
