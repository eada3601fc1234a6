"""What a report is about: its title and author, the file with its hash, and the date."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

TITLE = "Report on a release"


@dataclass(frozen=True)
class Identity:
    """Title, author and other data on a report itself, besides the data on the release.

    Parameters
    ----------
    title : str
        Title of the report.
    author : str
        Who is responsible for the release.
    file : str
        Name of the released file, without its folder.
    sha256 : str
        SHA-256 of the released file.
    date : str
        Date of the report.
    """

    title: str = ""
    author: str = ""
    file: str = ""
    sha256: str = ""
    date: str = ""


def today() -> str:
    """Return today's date, or the date that ``SOURCE_DATE_EPOCH`` gives if it is set."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now()
    return moment.date().isoformat()


def identity_entries(
    identity: Identity, *, records: int, columns: int, plan: str, versions: Mapping[str, str]
) -> dict[str, Any]:
    """Return the identity of a report as plain data, with the identity of the release.

    Parameters
    ----------
    identity : Identity
        Title, author, file and date.
    records : int
        Number of released records.
    columns : int
        Number of released columns.
    plan : str
        The plan as the report shows it.
    versions : mapping of str to str
        Versions of software.

    Returns
    -------
    dict
        The entries, with the SHA-256 of the plan.
    """
    return {
        **asdict(identity),
        "title": identity.title or TITLE,
        "records": records,
        "columns": columns,
        "plan_sha256": hashlib.sha256(plan.encode()).hexdigest(),
        "shoal": versions.get("shoal", ""),
    }
