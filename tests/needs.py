"""What a test needs from the machine; without it, the test is skipped, or fails in CI."""

import os
from typing import NoReturn

import pytest


def lacking(reason: str) -> NoReturn:
    """Skip a test that lacks something; in CI, where all is installed, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"It must be there in CI. {reason}")
    pytest.skip(reason)
