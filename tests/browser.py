"""A real browser for the tests: Debian's chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from needs import lacking

FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser; nothing is downloaded."""
    path = shutil.which("chromium")
    if path is None:
        lacking("Install chromium, as in: apt-get install chromium.")
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=path, args=[*FLAGS, *(["--no-sandbox"] if root else [])]
        )
        yield browser
        browser.close()
