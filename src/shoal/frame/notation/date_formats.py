"""Formats of dates: which of them fit the texts of a column, and parsing by one of them."""

import datetime as dt
import re
from collections.abc import Sequence

_DAY, _MONTH = r"\d{1,2}", r"[A-Za-z]{3,9}"
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?\s?(Z|[+-]\d\d(:?\d\d)?)?)?")
_TIMES = {
    "": "",
    r" \d{1,2}:\d\d": " %H:%M",
    r" \d{1,2}:\d\d:\d\d": " %H:%M:%S",
    r" \d{1,2}:\d\d [AaPp][Mm]": " %I:%M %p",
    r" \d{1,2}:\d\d:\d\d [AaPp][Mm]": " %I:%M:%S %p",
}
# A pattern, and the formats that may fit a text of this pattern.
_FORMATS_BY_SHAPE: list[tuple[str, list[str]]] = [
    (r"\d{4}[01]\d[0-3]\d", ["%Y%m%d"]),
    (r"\d{4}/\d{1,2}/\d{1,2}", ["%Y/%m/%d"]),
    (r"\d{4}\.\d{1,2}\.\d{1,2}\.?", ["%Y.%m.%d", "%Y.%m.%d."]),
    (rf"{_DAY}/{_DAY}/\d{{4}}", ["%d/%m/%Y", "%m/%d/%Y"]),
    (rf"{_DAY}-{_DAY}-\d{{4}}", ["%d-%m-%Y", "%m-%d-%Y"]),
    (rf"{_DAY}\.{_DAY}\.\d{{4}}", ["%d.%m.%Y"]),
    (rf"{_DAY}/{_DAY}/\d\d", ["%d/%m/%y", "%m/%d/%y"]),
    (rf"{_DAY}\.{_DAY}\.\d\d", ["%d.%m.%y"]),
    (r"\d{4}-\d\d", ["%Y-%m"]),
    (r"\d{4}/\d\d", ["%Y/%m"]),
    (r"\d{1,2}/\d{4}", ["%m/%Y"]),
    (r"\d{1,2}-\d{4}", ["%m-%Y"]),
    (r"\d{4}[mM]\d{1,2}", ["%Ym%m", "%YM%m"]),
    (rf"{_DAY} {_MONTH} \d{{4}}", ["%d %b %Y", "%d %B %Y"]),
    (rf"{_DAY}-{_MONTH}-\d{{4}}", ["%d-%b-%Y", "%d-%B-%Y"]),
    (rf"{_DAY}-{_MONTH}-\d\d", ["%d-%b-%y"]),
    (rf"{_DAY}{_MONTH}\d{{4}}", ["%d%b%Y"]),
    (rf"{_MONTH} {_DAY}, \d{{4}}", ["%b %d, %Y", "%B %d, %Y"]),
    (rf"{_MONTH} \d{{4}}", ["%b %Y", "%B %Y"]),
    (rf"{_MONTH}-\d{{4}}", ["%b-%Y", "%B-%Y"]),
]
YEARS = (1800, 2200)  # plausible in dates without marks between year, month and day
EXCEL = "excel"  # the format of the day numbers of a spreadsheet
EXCEL_EPOCH = dt.datetime(1899, 12, 30)


def possible_formats(texts: Sequence[str]) -> list[str]:
    """Return the formats that fit all texts: "" for ISO, none if the texts are not dates.

    Two formats are returned if day and month can be swapped and the dates would differ.

    Examples
    --------
    >>> possible_formats(["2024-01-31"]), possible_formats(["31/01/2024", "01/02/2024"])
    ([''], ['%d/%m/%Y'])
    >>> possible_formats(["01/02/2024"]), possible_formats(["12", "monday"])
    (['%d/%m/%Y', '%m/%d/%Y'], [])
    """
    if not texts:
        return []
    if all(map(_ISO.fullmatch, texts)):
        return [""] if all(parse_date(text) is not None for text in texts) else []
    for shape, formats in _FORMATS_BY_SHAPE:
        for suffix, time_format in _TIMES.items():
            if re.fullmatch(shape + suffix, texts[0]) is None:
                continue
            pattern = re.compile(shape + suffix)
            if not all(map(pattern.fullmatch, texts)):
                continue
            return _fitting_formats(texts, [date_format + time_format for date_format in formats])
    return []


def parse_date(text: str, date_format: str = "") -> dt.datetime | None:
    """Return the date that a text states in a format, by default in ISO format, or None."""
    try:
        if date_format == EXCEL:
            return EXCEL_EPOCH + dt.timedelta(days=float(text))
        return (
            dt.datetime.strptime(text, date_format)
            if date_format
            else dt.datetime.fromisoformat(text)
        )
    except (ValueError, OverflowError, re.error):
        return None


def _fitting_formats(texts: Sequence[str], formats: Sequence[str]) -> list[str]:
    """Return the formats that fit all texts; if several give the same dates, only the first."""
    format_by_dates: dict[tuple[dt.datetime, ...], str] = {}
    for date_format in formats:
        dates = [parse_date(text, date_format) for text in texts]
        parsed_dates = [date for date in dates if date is not None]
        is_plausible = date_format[:4] != "%Y%m" or all(
            YEARS[0] < date.year < YEARS[1] for date in parsed_dates
        )
        if len(parsed_dates) == len(texts) and is_plausible:
            format_by_dates.setdefault(tuple(parsed_dates), date_format)
    return list(format_by_dates.values())
