"""The reference tables of the CASC project, on which the literature compares methods.

They were published so that methods can be compared [BDM02]_; Census and EIA are extracts of
US government data. The numbers were taken from the R data files of the public repository
sdcTools/sdcMicro (folder ``data``, commit cf3251017482bb215f0a9abf4a930f502399fb72) and are
stored as compressed Parquet. ``REFERENCES`` names the source file of each table and its hash.
"""

from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from typing import Any

from shoal.datasets.frames import FrameLibrary, check_kind, to_frame


@dataclass(frozen=True)
class Reference:
    """Where a reference table comes from, and which of its columns the literature uses."""

    source: str
    source_sha256: str
    rows: int
    columns: tuple[str, ...]
    unused: tuple[str, ...] = ()


TARRAGONA_COLUMNS = (
    "FIXED.ASSETS", "CURRENT.ASSETS", "TREASURY", "UNCOMMITTED.FUNDS",
    "PAID.UP.CAPITAL", "SHORT.TERM.DEBT", "SALES", "LABOR.COSTS", "DEPRECIATION",
    "OPERATING.PROFIT", "FINANCIAL.OUTCOME", "GROSS.PROFIT", "NET.PROFIT",
)  # fmt: skip
CENSUS_COLUMNS = (
    "AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC",
    "POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL",
)  # fmt: skip
EIA_COLUMNS = (
    "UTILITYID", "UTILNAME", "STATE", "YEAR", "MONTH",
    "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES",
    "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES",
)  # fmt: skip
REFERENCES = {
    "tarragona": Reference(
        source="Tarragona.rda",
        source_sha256="e83def0648be5e47eaf202b4dd60dd6981591d0858fd249817b9a2cc97cf2aef",
        rows=834,
        columns=TARRAGONA_COLUMNS,
    ),
    "census": Reference(
        source="CASCrefmicrodata.rda",
        source_sha256="147d0d7fa823a384e36c2297174560e32cdbe6e39803f22f797610fb1a2993d6",
        rows=1080,
        columns=CENSUS_COLUMNS,
    ),
    "eia": Reference(
        source="EIA.rda",
        source_sha256="8b61ceb0d1fa01d024bd62171655601abed62ff70a5e9e6fd550c43a1f76695e",
        rows=4092,
        columns=EIA_COLUMNS,
        unused=("UTILNAME", "STATE", "YEAR", "MONTH"),
    ),
}

COLUMNS = {
    name: [column for column in reference.columns if column not in reference.unused]
    for name, reference in REFERENCES.items()
}


def tarragona(kind: FrameLibrary = "pandas") -> Any:
    """Return Tarragona: 834 companies in the area of Tarragona, 13 columns of their accounts.

    One of the reference tables of [BDM02]_. The literature uses all columns.
    `shoal.datasets.casc` names its source.

    Parameters
    ----------
    kind : {"pandas", "polars", "pyarrow"}, default="pandas"
        Kind of frame to return.

    Returns
    -------
    frame
        834 rows, 13 columns of whole numbers.

    References
    ----------
    .. [BDM02] Brand, R., Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002).
       Reference data sets to test and compare SDC methods for protection of
       numerical microdata. European Project IST-2000-25069 CASC.

    Examples
    --------
    >>> tarragona().shape
    (834, 13)
    """
    return _load("tarragona", kind)


def census(kind: FrameLibrary = "pandas") -> Any:
    """Return Census: 1080 persons, 13 columns of incomes, taxes and a sampling weight.

    One of the reference tables of [BDM02]_. The literature uses all columns.
    `shoal.datasets.casc` names its source.

    Parameters
    ----------
    kind : {"pandas", "polars", "pyarrow"}, default="pandas"
        Kind of frame to return.

    Returns
    -------
    frame
        1080 rows, 13 columns of whole numbers.

    References
    ----------
    .. [BDM02] Brand, R., Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002).
       Reference data sets to test and compare SDC methods for protection of
       numerical microdata. European Project IST-2000-25069 CASC.

    Examples
    --------
    >>> census().shape
    (1080, 13)
    """
    return _load("census", kind)


def eia(kind: FrameLibrary = "pandas") -> Any:
    """Return EIA: 4092 monthly accounts of electric utilities, 15 columns.

    One of the reference tables of [BDM02]_. The literature uses eleven columns,
    ``COLUMNS["eia"]``: the number of the utility and ten revenues and sales.
    `shoal.datasets.casc` names its source.

    Parameters
    ----------
    kind : {"pandas", "polars", "pyarrow"}, default="pandas"
        Kind of frame to return.

    Returns
    -------
    frame
        4092 rows, 15 columns; whole numbers except for the names of utility and
        state.

    References
    ----------
    .. [BDM02] Brand, R., Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002).
       Reference data sets to test and compare SDC methods for protection of
       numerical microdata. European Project IST-2000-25069 CASC.

    Examples
    --------
    >>> eia().shape
    (4092, 15)
    """
    return _load("eia", kind)


def _load(name: str, kind: str) -> Any:
    from pyarrow import parquet

    check_kind(kind)
    content = resources.files("shoal.datasets").joinpath(f"{name}.parquet").read_bytes()
    return to_frame(parquet.read_table(BytesIO(content)), kind)
