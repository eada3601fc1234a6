"""The reference tables of the CASC project, on which the literature compares methods.

Shoal does not carry them. If the environment variable ``SHOAL_DATA`` names a
folder, ``tarragona.csv``, ``census.csv`` and ``eia.csv`` are read there. If not,
the R data file is fetched once from the public repository of the R package
sdcMicro (GPL-2), at a fixed commit and with a fixed hash, and kept in the user's
cache folder; that needs ``pip install "shoal[datasets]"``.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.datasets.fetch import fetch, missing
from shoal.datasets.frames import Kind, check_kind, checked, frame, parse_csv, schema
from shoal.errors import FileError


@dataclass(frozen=True)
class Reference:
    """What is known of a reference table before it is read."""

    file: str
    sha256: str
    rows: int
    columns: tuple[str, ...]
    text: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return schema(self.columns, self.text)


REFERENCES = {
    "tarragona": Reference(
        file="Tarragona.rda",
        sha256="e83def0648be5e47eaf202b4dd60dd6981591d0858fd249817b9a2cc97cf2aef",
        rows=834,
        columns=(
            *("FIXED.ASSETS", "CURRENT.ASSETS", "TREASURY", "UNCOMMITTED.FUNDS"),
            *("PAID.UP.CAPITAL", "SHORT.TERM.DEBT", "SALES", "LABOR.COSTS", "DEPRECIATION"),
            *("OPERATING.PROFIT", "FINANCIAL.OUTCOME", "GROSS.PROFIT", "NET.PROFIT"),
        ),
    ),
    "census": Reference(
        file="CASCrefmicrodata.rda",
        sha256="147d0d7fa823a384e36c2297174560e32cdbe6e39803f22f797610fb1a2993d6",
        rows=1080,
        columns=(
            *("AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC"),
            *("POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL"),
        ),
    ),
    "eia": Reference(
        file="EIA.rda",
        sha256="8b61ceb0d1fa01d024bd62171655601abed62ff70a5e9e6fd550c43a1f76695e",
        rows=4092,
        columns=(
            *("UTILITYID", "UTILNAME", "STATE", "YEAR", "MONTH"),
            *("RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES"),
            *("OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES"),
        ),
        text=("UTILNAME", "STATE"),
        unused=("UTILNAME", "STATE", "YEAR", "MONTH"),
    ),
}

COLUMNS = {
    name: [column for column in known.columns if column not in known.unused]
    for name, known in REFERENCES.items()
}


def tarragona(kind: Kind = "pandas") -> Any:
    """Return Tarragona: 834 companies of the area of Tarragona, 13 columns of their accounts.

    One of the reference tables of [BDM02]_. The literature uses all columns.
    Where the table comes from is said in `shoal.datasets.casc`.

    Parameters
    ----------
    kind : {"pandas", "polars", "pyarrow"}
        What kind of frame to return.

    Returns
    -------
    frame
        834 rows, 13 columns of whole numbers.

    References
    ----------
    .. [BDM02] Brand, R., Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002).
       Reference data sets to test and compare SDC methods for protection of
       numerical microdata. European Project IST-2000-25069 CASC.
    """
    return _load("tarragona", kind)


def census(kind: Kind = "pandas") -> Any:
    """Return Census: 1080 persons, 13 columns of incomes, taxes and a sampling weight.

    One of the reference tables of [BDM02]_. The literature uses all columns.
    Where the table comes from is said in `shoal.datasets.casc`.

    Parameters
    ----------
    kind : {"pandas", "polars", "pyarrow"}
        What kind of frame to return.

    Returns
    -------
    frame
        1080 rows, 13 columns of whole numbers.

    References
    ----------
    .. [BDM02] Brand, R., Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002).
       Reference data sets to test and compare SDC methods for protection of
       numerical microdata. European Project IST-2000-25069 CASC.
    """
    return _load("census", kind)


def eia(kind: Kind = "pandas") -> Any:
    """Return EIA: 4092 monthly accounts of electric utilities, 15 columns.

    One of the reference tables of [BDM02]_. The literature uses eleven columns,
    ``COLUMNS["eia"]``: the number of the utility and ten revenues and sales.
    Where the table comes from is said in `shoal.datasets.casc`.

    Parameters
    ----------
    kind : {"pandas", "polars", "pyarrow"}
        What kind of frame to return.

    Returns
    -------
    frame
        4092 rows, 15 columns; whole numbers but for the names of utility and
        state.

    References
    ----------
    .. [BDM02] Brand, R., Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002).
       Reference data sets to test and compare SDC methods for protection of
       numerical microdata. European Project IST-2000-25069 CASC.
    """
    return _load("eia", kind)


def _load(name: str, kind: str) -> Any:
    check_kind(kind)
    folder = os.environ.get("SHOAL_DATA")
    return frame(_from_folder(name, Path(folder)) if folder else _from_network(name), kind)


def _from_folder(name: str, folder: Path) -> pa.Table:
    path = folder / f"{name}.csv"
    known = REFERENCES[name]
    try:
        content = path.read_bytes()
    except OSError as failure:
        reason = f"{path.name} cannot be read there ({type(failure).__name__})"
        if not path.exists():
            reason = f"it holds no {path.name}" if folder.is_dir() else "there is no such folder"
        raise FileError(
            f"SHOAL_DATA names {str(folder)!r}, but {reason}."
            " Put the CSV there, or unset SHOAL_DATA to fetch the table."
        ) from None
    return parse_csv(content, known.schema, known.rows, str(path))


def _from_network(name: str) -> pa.Table:
    try:
        import rdata
    except ImportError:
        raise missing("rdata") from None
    known = REFERENCES[name]
    (content,) = rdata.read_rda(fetch(known.file, known.sha256)).values()
    table = pa.table(
        {
            field.name: pa.array(
                content[field.name].astype(str if field.name in known.text else "int64"),
                field.type,
            )
            for field in known.schema
        }
    )
    return checked(table, known.schema, known.rows, known.file)
