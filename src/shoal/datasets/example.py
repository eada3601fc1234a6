"""A small example from the literature: eleven companies."""

from importlib import resources
from typing import Any

from shoal.datasets.frames import FrameLibrary, check_kind, integer_schema, parse_csv, to_frame

COLUMNS = ("company", "surface", "employees", "turnover", "net_profit")
ROWS = 11

ROLES = {
    "company": "identifier",
    "surface": "quasi-identifier",
    "employees": "quasi-identifier",
    "turnover": "confidential",
    "net_profit": "confidential",
}


def sme(kind: FrameLibrary = "pandas") -> Any:
    """Return the eleven small and medium companies of [DSS08]_, Table 1.

    The table is small enough to follow a method by hand: company, surface of
    the premises in square metres, number of employees, turnover and net profit
    in euros. The paper takes the company as identifier, surface and employees
    as quasi-identifiers, turnover and net profit as confidential:
    see ``ROLES["sme"]``.

    Parameters
    ----------
    kind : {"pandas", "polars", "pyarrow"}, default="pandas"
        Kind of frame to return.

    Returns
    -------
    frame
        11 rows, 5 columns; whole numbers except for the name of the company.

    References
    ----------
    .. [DSS08] Domingo-Ferrer, J., Sebé, F. and Solanas, A. (2008). A
       polynomial-time approximation to optimal multivariate microaggregation.
       Computers & Mathematics with Applications 55(4), 714-732.

    Examples
    --------
    >>> sme().shape
    (11, 5)
    """
    check_kind(kind)
    content = resources.files("shoal.datasets").joinpath("sme.csv").read_bytes()
    return to_frame(parse_csv(content, integer_schema(COLUMNS, ("company",))), kind)
