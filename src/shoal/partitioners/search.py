"""Stub."""

from typing import Any, NamedTuple


class Found(NamedTuple):
    labels: Any
    rounds: float


def search(X, labels, k, *, budget=None, rounds=None, random_state=None):
    return Found(labels, 2.0)
