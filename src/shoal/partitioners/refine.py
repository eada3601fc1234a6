"""Stub."""


def refine(X, labels, k):
    return labels
