"""What a test needs from the machine, and what becomes of it where that is not there."""

import os
from typing import NoReturn

import pytest


def lacking(reason: str) -> NoReturn:
    """Skip a test that lacks something; in CI, where all is installed, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"It must be there in CI. {reason}")
    pytest.skip(reason)
