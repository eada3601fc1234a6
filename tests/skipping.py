"""Tests of software that is not installed everywhere: skipped without it, but not in CI."""

import os
from typing import NoReturn

import pytest


def skip_or_fail_in_ci(reason: str) -> NoReturn:
    """Skip a test for lack of some software; in CI, which installs all of it, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have it. {reason}")
    pytest.skip(reason)
