"""A server on the loopback that speaks as much of S3 as Arrow needs, and can fail on request."""

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
    """Return the environment of a process that uses the server."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "3",
    }


class Store(ThreadingHTTPServer):
    """The server: ``objects`` by key; ``fails(method, key)`` says which requests to cut off."""

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
        """Return the keys of the files, without the empty ones that stand for folders."""
        return sorted(k for k in self.objects if k.startswith(prefix) and not k.endswith("/"))

    def handle_error(self, request, client_address):
        """Ignore clients that are gone."""
        if not isinstance(sys.exception(), OSError | ValueError):
            super().handle_error(request, client_address)


@contextlib.contextmanager
def store():
    """Start a server and yield it."""
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
    """Point this process, and those it starts, to a server."""
    before = {name: os.environ.get(name) for name in settings(endpoint)}
    os.environ.update(settings(endpoint))
    try:
        yield
    finally:
        for name, value in before.items():
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
        parts, at = [], 0
        while True:
            end = body.index(b"\r\n", at)
            size = int(body[at:end].split(b";")[0], 16)
            if not size:
                return b"".join(parts)
            parts.append(body[end + 2 : end + 2 + size])
            at = end + 2 + size + 2

    def _get(self, key, query, body):
        if not key:
            self._list(query)
        elif key not in self.server.objects:
            self._answer(404, _error("NoSuchKey", key))
        else:
            content, headers = self.server.objects[key], {}
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
            status = 200
            if wanted and self.server.ranges:
                start, stop = int(wanted[1]), min(int(wanted[2]) + 1, len(content))
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
        names = sorted(k for k in self.server.objects if k.startswith(prefix) and k > after)
        folders = set()
        if delimiter:
            cut = {k: k[len(prefix) :].partition(delimiter) for k in names}
            folders = {prefix + head + mark for head, mark, _ in cut.values() if mark}
            names = [k for k in names if not cut[k][1]]
        shown, more = names[:limit], len(names) > limit
        files = "".join(
            f"<Contents><Key>{escape(k)}</Key><Size>{len(self.server.objects[k])}</Size>"
            f"<ETag>{_etag(self.server.objects[k])}</ETag>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
            for k in shown
        )
        below = "".join(
            f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>"
            for f in sorted(folders)
        )
        last = escape(shown[-1]) if more else ""
        token = f"<NextContinuationToken>{last}</NextContinuationToken>"
        self._answer(
            200,
            f"<ListBucketResult><KeyCount>{len(shown) + len(folders)}</KeyCount>"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{token if more else ''}{files}{below}"
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
        known = {"Content-Length": str(len(content)), "Content-Type": "application/xml"}
        known["Last-Modified"] = "Thu, 01 Jan 2026 00:00:00 GMT"
        for name, value in {**known, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and status != 204:
            self.wfile.write(content)


def _etag(content):
    return f'"{hashlib.md5(content).hexdigest()}"'


def _error(code, message):
    return f"<Error><Code>{code}</Code><Message>{escape(message)}</Message></Error>".encode()
