"""Files on web servers, read in ranges."""

import http.client
import io
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from shoal.errors import FileError
from shoal.io.store_addresses import redact_store

MAX_ATTEMPTS = 3  # attempts at a request
PARTIAL_CONTENT = 206  # status of an answer that contains the requested range
TIMEOUT = 60.0  # seconds to wait for an answer


class WebFile(io.RawIOBase):
    """A file on a web server that answers requests for ranges of bytes.

    Parameters
    ----------
    address : str
        An address that begins with ``https://`` or ``http://``.
    """

    def __init__(self, address: str):
        super().__init__()
        self.address, self._position = address, 0
        # A range request, since servers need not state the length in the answer to HEAD.
        headers, _ = self._get(0, 1)
        try:
            self._size = int(headers.get("Content-Range", "").rpartition("/")[2])
        except ValueError:
            raise self._error("the server does not send parts of files", "no-ranges") from None

    def readable(self) -> bool:
        """Return True: the file can be read."""
        return True

    def seekable(self) -> bool:
        """Return True: any part can be read."""
        return True

    def size(self) -> int:
        """Return the number of bytes."""
        return self._size

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position of the next byte to read; return it."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        """Return the position of the next byte to read."""
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes, or all that are left if ``size`` is negative."""
        stop = self._size if size < 0 else min(self._size, self._position + size)
        if stop <= self._position:
            return b""
        _, content = self._get(self._position, stop)
        if len(content) != stop - self._position:
            raise self._error("the file changed while it was read", "file-changed")
        self._position = stop
        return content

    def _get(self, start: int, stop: int) -> tuple[Mapping[str, str], bytes]:
        request = urllib.request.Request(
            self.address, headers={"Range": f"bytes={start}-{stop - 1}"}
        )
        status = 0
        for _ in range(MAX_ATTEMPTS):
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                    status = response.status
                    if status == PARTIAL_CONTENT:
                        return response.headers, response.read()
            except urllib.error.HTTPError as error:
                status = error.code
            except (OSError, http.client.HTTPException):
                status = 0
            if 0 < status < 500:
                break
        # Raised here: an error with an HTTPError as its context could not be sent by a worker.
        raise self._refusal(status)

    def _refusal(self, status: int) -> FileError:
        if not status:
            return self._error("the server does not answer", "store-unreachable")
        if status < 300:
            return self._error("the server does not send parts of files", "no-ranges")
        if status in (404, 410):
            return self._error("there is no such file", "no-such-file")
        if status in (401, 403):
            return self._error("access is denied", "store-denies")
        return self._error(f"the server refused ({status})", "store-refuses")

    def _error(self, reason: str, code: str) -> FileError:
        location: Any = redact_store(self.address)
        return FileError(
            f"{location!r}: {reason}. Nothing was released.", code=code, place=location
        )
