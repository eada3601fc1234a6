"""A polynomial-time approximation to optimal multivariate microaggregation: all but Table 2."""

from collections.abc import Callable

from reproduction.mu_approx import losses, optimum
from reproduction.mu_approx.example import figure_1, figure_2, table_3, table_4, table_of_examples
from reproduction.page import Page, Section

PAGE = Page(
    "mu-approx",
    "A polynomial-time approximation to optimal multivariate microaggregation",
    "J. Domingo-Ferrer, F. Sebé and A. Solanas (2008). Computers and Mathematics with Applications"
    " 55(4), 714-732.",
    "μ-Approx is method `mu-approx`, MDAV is `mdav`, M-d is `mst`, and the optimum is `optimal`."
    " μ-Approx draws, and the paper's draws are not known. The factors of Theorems 1 and 2 are not"
    " claimed for our groups: the paper keeps divided trees together by copies of a record that"
    " count for nothing, which can leave groups of k - 1; we join the records in a chain instead,"
    " and its edges may be longer than the proof allows.",
)

SECTIONS: tuple[Callable[[], Section], ...] = (
    table_3,
    table_4,
    figure_1,
    figure_2,
    table_of_examples,
    losses.table_5,
    losses.claims,
    optimum.table_6,
    optimum.table_7,
    optimum.table_8,
    optimum.claims,
    losses.times,
)
