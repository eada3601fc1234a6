"""A real browser for the tests: the installed Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from skipping import skip_or_fail_in_ci

FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a running browser; nothing is downloaded."""
    path = shutil.which("chromium")
    if path is None:
        skip_or_fail_in_ci("Install chromium, as in: apt-get install chromium.")
    from playwright.sync_api import sync_playwright

    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=path, args=[*FLAGS, *(["--no-sandbox"] if is_root else [])]
        )
        yield browser
        browser.close()
