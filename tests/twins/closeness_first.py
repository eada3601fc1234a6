"""t-closeness first, as the docstring says it: lists and exact fractions."""

from fractions import Fraction
from itertools import accumulate

import numpy as np

from twins.classes import closeness, shares


def layers(values, number):
    """Return the records of each layer; what is left over joins the middle one."""
    order = sorted(range(len(values)), key=lambda i: (values[i], i))
    size = len(values) // number
    spare = len(values) % number
    parts = []
    for at in range(number):
        take = size + (spare if at == number // 2 else 0)
        parts.append(order[:take])
        order = order[take:]
    return parts


def distance(one, other, support, ordered):
    """Return the earth mover's distance of two distributions over ``support``."""
    gaps = [p - q for p, q in zip(one, other, strict=True)]
    if not ordered:
        return sum(abs(gap) for gap in gaps) / 2
    return sum(abs(moved) for moved in accumulate(gaps)) / max(1, len(support) - 1)


def proven(values, number, ordered):
    """Return the bound: the worst record of each layer, and other weights than the table's."""
    support = sorted(set(values))
    cut = [[values[i] for i in layer] for layer in layers(values, number)]
    groups = len(values) // number
    whole = shares(values, support)
    spread = [shares(layer, support) for layer in cut]
    worst = [
        max(distance(shares([v], support), own, support, ordered) for v in set(layer))
        for layer, own in zip(cut, spread, strict=True)
    ]
    spare = len(values) % number
    kinds = [[1] * number] if spare < groups else []
    kinds += [[2 if at == number // 2 else 1 for at in range(number)]] if spare else []
    bounds = []
    for taken in kinds:
        weight = [Fraction(t, sum(taken)) for t in taken]
        mixed = [
            sum(w * own[v] for w, own in zip(weight, spread, strict=True))
            for v in range(len(support))
        ]
        bounds.append(
            sum(w * d for w, d in zip(weight, worst, strict=True))
            + distance(mixed, whole, support, ordered)
        )
    return max(bounds)


def closeness_first(X, k, t, values, ordered):
    """Return labels and the bound."""
    number = k
    while True:
        number = len(values) // (len(values) // number)
        bound = proven(values, number, ordered)
        if bound <= t or number == len(values):
            break
        number += 1
    rest = layers(values, number)
    labels, group, seed = [-1] * len(X), 0, None
    while any(rest):
        left = sorted(i for layer in rest for i in layer)
        point = X[left].mean(axis=0) if group % 2 == 0 else X[seed]
        seed = max(left, key=lambda i: (((X[i] - point) ** 2).sum(), -i))
        to_make = len(values) // number - group
        for layer in rest:
            for _ in range(2 if len(layer) > to_make else 1):
                near = min(layer, key=lambda i: (((X[i] - X[seed]) ** 2).sum(), i))
                layer.remove(near)
                labels[near] = group
        group += 1
    return np.array(labels), bound


def attained(labels, values, ordered):
    return closeness(np.array(labels)[:, None], np.array(values), ordered)
