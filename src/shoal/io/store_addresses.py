"""Addresses of object stores and of files on the web."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shoal.errors import FileError

STORES = ("s3", "gs", "gcs", "abfs", "abfss")
WEB = ("https", "http")


def is_store(location: Any) -> bool:
    """Return whether a location is an address in an object store, on the web, or ``file://``."""
    scheme, mark, _ = str(location).partition("://")
    return bool(mark) and scheme.lower() in (*STORES, *WEB, "file")


def is_web(location: str) -> bool:
    """Return whether a location is a file on a web server, which can only be read."""
    return location.lower().startswith(tuple(f"{scheme}://" for scheme in WEB))


def redact_store(location: str) -> str:
    """Return an address for messages: without password and query, where signatures are.

    Examples
    --------
    >>> redact_store("https://user:secret@host.example/a.parquet?X-Amz-Signature=1f")
    'https://host.example/a.parquet'
    >>> redact_store("abfs://container@account.dfs.core.windows.net/in")
    'abfs://container@account.dfs.core.windows.net/in'
    """
    scheme, _, remainder = str(location).partition("://")
    remainder = remainder.partition("?")[0]
    remainder = remainder.partition("#")[0] if is_web(location) else remainder
    authority, slash, path = remainder.partition("/")
    user, at_sign, host = authority.rpartition("@")
    if at_sign and (":" in user or is_web(location)):
        authority = host
    return f"{scheme}://{authority}{slash}{path}"


def as_location(location: str | os.PathLike[str]) -> str:
    """Return a path, or an address in one spelling; refuse an address that cannot be used.

    ``file://`` addresses become paths. Credentials are taken from the environment, never from an
    address: addresses get into logs and into the history of a shell.
    """
    text = os.fspath(location)
    if not is_store(text):
        if "://" in text:
            raise FileError(
                f"Addresses of kind {text.partition('://')[0]!r} are not supported for Parquet"
                f" files. Use one of: {', '.join((*STORES, *WEB, 'file'))}.",
                code="unknown-store",
                given=text.partition("://")[0],
            )
        return text
    url = _split(text)
    if url.scheme == "file":
        from urllib.request import url2pathname

        return url2pathname(url.path)
    if url.password is not None:
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
    return f"{url.scheme}://{name}"


def name_of(location: str) -> str:
    """Return the last part of a path or an address, as a manifest states it."""
    return Path(urlsplit(location).path).name if is_web(location) else Path(location).name


def redact(location: str) -> str:
    """Return a path, or an address without credentials, for messages."""
    return redact_store(location) if is_store(location) else location


def refuse_store(location: Any) -> None:
    """Refuse an address for a table that is read from or written to a single file."""
    if is_store(location):
        raise FileError(
            f"{redact_store(str(location))!r} is an address in a store. Only Parquet files can be"
            " masked from and to stores, by shoal.scale, 'shoal mask' and 'shoal run'. Copy other"
            " files first.",
            code="store-not-supported",
            place=redact_store(str(location)),
        )


def _split(text: str) -> Any:
    try:
        url = urlsplit(text)
        url.port  # noqa: B018 - raises for a malformed port
    except ValueError:
        raise FileError(
            "The address of a store cannot be read. Write it like s3://bucket/folder.",
            code="address-unreadable",
        ) from None
    return url
