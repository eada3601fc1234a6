"""Stub."""

from typing import Any, NamedTuple

from shoal.partitioners._base import sse


class Proof(NamedTuple):
    labels: Any
    bound: float
    optimal: bool


def prove(X, labels, k, *, budget):
    return Proof(labels, 0.5 * sse(X, labels), True)
