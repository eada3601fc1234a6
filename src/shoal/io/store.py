"""Addresses of object stores and of files on the web."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shoal.errors import FileError

STORES = ("s3", "gs", "gcs", "abfs", "abfss")
WEB = ("https", "http")


def is_store(place: Any) -> bool:
    """Return whether a place is an address in an object store, on the web, or ``file://``."""
    scheme, mark, _ = str(place).partition("://")
    return bool(mark) and scheme.lower() in (*STORES, *WEB, "file")


def is_web(place: str) -> bool:
    """Return whether a place is a file on a web server, which can only be read."""
    return place.lower().startswith(tuple(f"{scheme}://" for scheme in WEB))


def redact_store(place: str) -> str:
    """Return an address for messages: without password and query, where signatures are.

    Examples
    --------
    >>> redact_store("https://user:secret@host.example/a.parquet?X-Amz-Signature=1f")
    'https://host.example/a.parquet'
    >>> redact_store("abfs://container@account.dfs.core.windows.net/in")
    'abfs://container@account.dfs.core.windows.net/in'
    """
    scheme, _, rest = str(place).partition("://")
    rest = rest.partition("?")[0]
    rest = rest.partition("#")[0] if is_web(place) else rest
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    if at and (":" in user or is_web(place)):
        authority = host
    return f"{scheme}://{authority}{slash}{path}"


def as_place(place: str | os.PathLike[str]) -> str:
    """Return a path, or an address in one spelling; refuse an address that cannot be used.

    ``file://`` addresses become paths. Credentials are taken from the environment, never from an
    address: addresses get into logs and into the history of a shell.
    """
    text = os.fspath(place)
    if not is_store(text):
        if "://" in text:
            raise FileError(
                f"Addresses of kind {text.partition('://')[0]!r} are not supported for Parquet"
                f" files. Use one of: {', '.join((*STORES, *WEB, 'file'))}.",
                code="unknown-store",
                given=text.partition("://")[0],
            )
        return text
    parts = _split(text)
    if parts.scheme == "file":
        from urllib.request import url2pathname

        return url2pathname(parts.path)
    if parts.password is not None:
        raise FileError(
            f"{redact_store(text)!r} was given with a password. Leave it out: credentials are taken"
            " from the environment.",
            code="credentials-in-address",
            place=redact_store(text),
        )
    if is_web(text):
        return text
    if "?" in text:
        raise FileError(
            f"{redact_store(text)!r} was given with options after '?'. Set them in the environment,"
            " as the documentation of the store describes.",
            code="options-in-address",
            place=redact_store(text),
        )
    name = text.partition("://")[2].strip("/")
    if not name:
        raise FileError(
            "An address in a store names a bucket: s3://bucket/folder.", code="address-unreadable"
        )
    return f"{parts.scheme}://{name}"


def name_of(place: str) -> str:
    """Return the last part of a path or an address, as a manifest states it."""
    return Path(urlsplit(place).path).name if is_web(place) else Path(place).name


def redact(place: str) -> str:
    """Return a path, or an address without credentials, for messages."""
    return redact_store(place) if is_store(place) else place


def refuse_store(place: Any) -> None:
    """Refuse an address where a table is read from or written to a single file."""
    if is_store(place):
        raise FileError(
            f"{redact_store(str(place))!r} is an address in a store. From and to stores only"
            " Parquet files are masked, by shoal.scale, `shoal mask` and `shoal run`; copy other"
            " files first.",
            code="store-not-supported",
            place=redact_store(str(place)),
        )


def _split(text: str) -> Any:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - raises for a malformed port
    except ValueError:
        raise FileError(
            "The address of a store cannot be read. It looks like s3://bucket/folder.",
            code="address-unreadable",
        ) from None
    return parts
