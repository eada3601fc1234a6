"""A polynomial-time approximation to optimal multivariate microaggregation: Tables 3 to 8."""

from collections.abc import Callable

from reproduction.mu_approx.example import table_3, table_4, variability
from reproduction.mu_approx.losses import table_5
from reproduction.mu_approx.optimum import claims, table_6, table_7, table_8
from reproduction.page import Page, Part

PAGE = Page(
    "mu-approx",
    "A polynomial-time approximation to optimal multivariate microaggregation",
    "J. Domingo-Ferrer, F. Sebé and A. Solanas (2008). Computers and Mathematics with Applications"
    " 55(4), 714-732.",
    "μ-Approx is method `mu-approx`, MDAV is `mdav`, M-d is `mst`, and the optimum is `optimal`."
    " μ-Approx draws; the paper's draws are not known, so ours are means over 20 seeds, and the"
    " notes give the range.",
)

PARTS: tuple[Callable[[], Part], ...] = (
    table_3,
    table_4,
    variability,
    table_5,
    table_6,
    table_7,
    table_8,
    claims,
)
