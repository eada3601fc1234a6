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
    layers_of_records = []
    for layer_number in range(number):
        size_of_layer = size + (spare if layer_number == number // 2 else 0)
        layers_of_records.append(order[:size_of_layer])
        order = order[size_of_layer:]
    return layers_of_records


def distance(shares_of_group, shares_of_table, support, ordered):
    """Return the earth mover's distance of two distributions over ``support``."""
    gaps = [p - q for p, q in zip(shares_of_group, shares_of_table, strict=True)]
    if not ordered:
        return sum(abs(gap) for gap in gaps) / 2
    return sum(abs(excess) for excess in accumulate(gaps)) / max(1, len(support) - 1)


def proven(values, number, ordered):
    """Return the bound: the worst record of each layer, and other weights than the table's."""
    support = sorted(set(values))
    layer_values = [[values[i] for i in layer] for layer in layers(values, number)]
    groups = len(values) // number
    table_shares = shares(values, support)
    layer_shares = [shares(layer, support) for layer in layer_values]
    worst = [
        max(distance(shares([v], support), of_layer, support, ordered) for v in set(layer))
        for layer, of_layer in zip(layer_values, layer_shares, strict=True)
    ]
    spare = len(values) % number
    counts_by_layer = [[1] * number] if spare < groups else []
    counts_by_layer += (
        [[2 if layer_number == number // 2 else 1 for layer_number in range(number)]]
        if spare
        else []
    )
    bounds = []
    for counts in counts_by_layer:
        weight = [Fraction(t, sum(counts)) for t in counts]
        mixed = [
            sum(w * of_layer[v] for w, of_layer in zip(weight, layer_shares, strict=True))
            for v in range(len(support))
        ]
        bounds.append(
            sum(w * d for w, d in zip(weight, worst, strict=True))
            + distance(mixed, table_shares, support, ordered)
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
    remaining_layers = layers(values, number)
    labels, group, seed = [-1] * len(X), 0, None
    while any(remaining_layers):
        remaining = sorted(i for layer in remaining_layers for i in layer)
        point = X[remaining].mean(axis=0) if group % 2 == 0 else X[seed]
        seed = max(remaining, key=lambda i: (((X[i] - point) ** 2).sum(), -i))
        to_make = len(values) // number - group
        for layer in remaining_layers:
            for _ in range(2 if len(layer) > to_make else 1):
                near = min(layer, key=lambda i: (((X[i] - X[seed]) ** 2).sum(), i))
                layer.remove(near)
                labels[near] = group
        group += 1
    return np.array(labels), bound


def attained(labels, values, ordered):
    return closeness(np.array(labels)[:, None], np.array(values), ordered)
