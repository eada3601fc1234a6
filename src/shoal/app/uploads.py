"""Files sent by the browser: tables, and hierarchies of columns."""

import secrets
from collections.abc import Mapping
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request

from shoal._text import join_names
from shoal.app.first_lines import detect_format, read_sample
from shoal.app.requests import header_text, safe_name
from shoal.app.sessions import Session
from shoal.errors import FileError
from shoal.frame.types.declaration_files import read_rows
from shoal.frame.types.hierarchy_checks import check_rows
from shoal.io.compression import strip_compression_suffix
from shoal.io.formats import format_of

MAX_HIERARCHY = 10_000_000  # bytes
MAX_HIERARCHIES = 200  # in a session
SEPARATOR_NAMES = {"\t": "a tab", ";": "a semicolon", "|": "a bar", ",": "a comma"}


async def receive(request: Request, path: Path, limit: int) -> None:
    """Store a file that is sent as a stream; refuse more than ``limit`` MB."""
    max_bytes = limit * 1_000_000
    length = 0
    too_large = FileError(
        f"The file is larger than {limit:,} MB, the limit of this page. Use the command line, or"
        " start the page with a larger limit.",
        code="file-too-large",
        limit=limit,
    )
    if int(request.headers.get("content-length") or 0) > max_bytes:
        raise too_large
    try:
        with path.open("xb") as file:
            async for chunk in request.stream():
                length += len(chunk)
                if length > max_bytes:
                    raise too_large
                file.write(chunk)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise FileError(
                "The file could not be stored: is the disk full?", code="disk-full"
            ) from None
        raise


def reading_question(path: Path, fields: Mapping[str, str]) -> str:
    """Return what to check before a text file is read, or "" if its format is the default.

    Fields that the user has filled in need no check.
    """
    if format_of(path).name != "text":
        return ""
    detected = detect_format(read_sample(path))
    if detected is None:
        return ""
    findings = []
    is_tsv = strip_compression_suffix(path).suffix.lower() == ".tsv" and detected.separator == "\t"
    if detected.separator and not fields.get("separator") and not is_tsv:
        findings.append(f"{SEPARATOR_NAMES[detected.separator]} between cells")
    if detected.decimal and not fields.get("decimal"):
        findings.append("numbers with a decimal comma")
    if detected.encoding and not fields.get("encoding"):
        findings.append(f"the character set {detected.encoding}")
    if not findings:
        return ""
    if detected.missing and not fields.get("missing"):
        findings.append(f"{detected.missing} for a missing value")
    return f"Recognised: {join_names(findings)}. Check the first lines, then read the file."


async def load_hierarchy(request: Request, session: Session, index: int) -> str:
    """Store and check the levels of a column from a file; return their key in the session."""
    name = safe_name(header_text(request.headers.get("x-file-name", "")))
    if len(session.hierarchies) >= MAX_HIERARCHIES:
        raise FileError(
            f"A session can have at most {MAX_HIERARCHIES} files with levels. Load the table"
            " again.",
            code="too-many-files",
        )
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_HIERARCHY:
            raise HTTPException(413)
    key = secrets.token_hex(4)
    suffix = ".toml" if name.lower().endswith(".toml") else ".csv"
    path = session.file_folder / f"levels-{key}{suffix}"
    path.write_bytes(body)
    try:
        rows = check_rows(read_rows(path, None), session.columns[index]["name"])
    except FileError as error:
        raise FileError(error.template.replace(path.name, name), code=error.code) from None
    finally:
        path.unlink(missing_ok=True)
    if not rows:
        raise FileError(
            f"{name!r} contains no levels. Write a value and its parents in each line.",
            code="file-empty",
            file=name,
        )
    session.hierarchies[key] = {"name": name, "rows": [list(row) for row in rows]}
    return key
