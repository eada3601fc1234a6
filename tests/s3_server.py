"""A local server of the part of S3 that Arrow uses, which can fail on request."""

import contextlib
import hashlib
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

BUCKET = "shoal-tests"
KEY, SECRET = "AKIASHOALEXAMPLE", "not-to-be-shown"


def settings(endpoint):
    """Return the environment variables of a process that uses the server."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "3",
    }


class Store(ThreadingHTTPServer):
    """A server with its ``objects`` by key; it drops requests for which ``fails(method, key)``."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects, self.uploads = {}, {}
        self.lock, self.log = threading.Lock(), []
        self.fails = lambda method, key: False
        self.denies = False
        self.ranges = True

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.server_port}"

    def files(self, prefix=""):
        """Return the keys of the files, without the empty objects that stand for folders."""
        return sorted(
            key for key in self.objects if key.startswith(prefix) and not key.endswith("/")
        )

    def handle_error(self, request, client_address):
        """Ignore clients that have closed the connection."""
        if not isinstance(sys.exception(), OSError | ValueError):
            super().handle_error(request, client_address)


@contextlib.contextmanager
def store():
    """Start a server, yield it, and stop it."""
    server = Store()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def environment(endpoint):
    """Let this process, and those that it starts, use a server."""
    original = {name: os.environ.get(name) for name in settings(endpoint)}
    os.environ.update(settings(endpoint))
    try:
        yield
    finally:
        for name, value in original.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def _dispatch(self):
        url = urlsplit(self.path)
        bucket, _, key = unquote(url.path).lstrip("/").partition("/")
        query = {name: value[0] for name, value in parse_qs(url.query, True).items()}
        body = self._body()
        self.server.log.append((self.command, key))
        if self.server.fails(self.command, key):
            self.close_connection = True
            self.connection.close()
            return
        if self.server.denies:
            self._answer(403, _error("AccessDenied", f"{KEY} is not allowed"))
        elif bucket != BUCKET:
            self._answer(404, _error("NoSuchBucket", bucket))
        else:
            with self.server.lock:
                getattr(self, f"_{self.command.lower()}")(key, query, body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _dispatch  # noqa: N815

    def _body(self):
        body = b""
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return body
        parts, position = [], 0
        while True:
            end = body.index(b"\r\n", position)
            size = int(body[position:end].split(b";")[0], 16)
            if not size:
                return b"".join(parts)
            parts.append(body[end + 2 : end + 2 + size])
            position = end + 2 + size + 2

    def _get(self, key, query, body):
        if not key:
            self._list(query)
        elif key not in self.server.objects:
            self._answer(404, _error("NoSuchKey", key))
        else:
            content, headers = self.server.objects[key], {}
            requested_range = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
            status = 200
            if requested_range and self.server.ranges:
                start = int(requested_range[1])
                stop = min(int(requested_range[2]) + 1, len(content))
                headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(content)}"
                content, status = content[start:stop], 206
            self._answer(status, content, {"ETag": _etag(content), **headers})

    def _head(self, key, query, body):
        if key and key not in self.server.objects:
            self._answer(404, b"")
        else:
            content = self.server.objects.get(key, b"")
            self._answer(200, content, {"ETag": _etag(content)})

    def _list(self, query):
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter")
        limit, after = int(query.get("max-keys", 1000)), query.get("continuation-token", "")
        keys = sorted(key for key in self.server.objects if key.startswith(prefix) and key > after)
        folders = set()
        if delimiter:
            parts_of_key = {key: key[len(prefix) :].partition(delimiter) for key in keys}
            folders = {prefix + head + mark for head, mark, _ in parts_of_key.values() if mark}
            keys = [key for key in keys if not parts_of_key[key][1]]
        listed_keys, is_truncated = keys[:limit], len(keys) > limit
        files = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(self.server.objects[key])}</Size>"
            f"<ETag>{_etag(self.server.objects[key])}</ETag>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
            for key in listed_keys
        )
        prefixes = "".join(
            f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
            for folder in sorted(folders)
        )
        last = escape(listed_keys[-1]) if is_truncated else ""
        token = f"<NextContinuationToken>{last}</NextContinuationToken>"
        self._answer(
            200,
            f"<ListBucketResult><KeyCount>{len(listed_keys) + len(folders)}</KeyCount>"
            f"<IsTruncated>{str(is_truncated).lower()}</IsTruncated>"
            f"{token if is_truncated else ''}{files}{prefixes}"
            "</ListBucketResult>".encode(),
        )

    def _put(self, key, query, body):
        if "uploadId" in query:
            self.server.uploads[query["uploadId"]][int(query["partNumber"])] = body
        elif copied := self.headers.get("x-amz-copy-source"):
            source = unquote(copied).lstrip("/").partition("/")[2]
            if source not in self.server.objects:
                self._answer(404, _error("NoSuchKey", source))
                return
            self.server.objects[key] = self.server.objects[source]
            etag = _etag(self.server.objects[key])
            result = f"<CopyObjectResult><ETag>{etag}</ETag></CopyObjectResult>"
            self._answer(200, result.encode())
            return
        else:
            self.server.objects[key] = body
        self._answer(200, b"", {"ETag": _etag(body)})

    def _post(self, key, query, body):
        if "delete" in query:
            for node in ElementTree.fromstring(body).iter():
                if node.tag.rpartition("}")[2] == "Key":
                    self.server.objects.pop(node.text, None)
            self._answer(200, b"<DeleteResult></DeleteResult>")
        elif "uploads" in query:
            number = f"upload-{len(self.server.uploads)}"
            self.server.uploads[number] = {}
            result = f"<InitiateMultipartUploadResult><UploadId>{number}</UploadId>"
            self._answer(200, f"{result}</InitiateMultipartUploadResult>".encode())
        else:
            parts = self.server.uploads.pop(query["uploadId"])
            self.server.objects[key] = b"".join(parts[number] for number in sorted(parts))
            result = f"<CompleteMultipartUploadResult><Key>{escape(key)}</Key>"
            self._answer(200, f"{result}</CompleteMultipartUploadResult>".encode())

    def _delete(self, key, query, body):
        self.server.uploads.pop(query.get("uploadId"), None)
        self.server.objects.pop(key, None)
        self._answer(204, b"")

    def _answer(self, status, content, headers=None):
        self.send_response(status)
        default_headers = {"Content-Length": str(len(content)), "Content-Type": "application/xml"}
        default_headers["Last-Modified"] = "Thu, 01 Jan 2026 00:00:00 GMT"
        for name, value in {**default_headers, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and status != 204:
            self.wfile.write(content)


def _etag(content):
    return f'"{hashlib.md5(content).hexdigest()}"'


def _error(code, message):
    return f"<Error><Code>{code}</Code><Message>{escape(message)}</Message></Error>".encode()
