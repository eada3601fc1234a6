"""Groups exchange records, as the docstring says it."""

import numpy as np

from twins.classes import shares
from twins.closeness_first import distance


def far(records, ranks, ordered, totals):
    """Return the greatest distance of a group from the table over all columns."""
    distances = []
    for column, in_order, total in zip(ranks.T, ordered, totals, strict=True):
        support = list(range(len(total)))
        whole = [v for v, count in enumerate(total) for _ in range(count)]
        own = shares([int(column[i]) for i in records], support)
        distances.append(distance(own, shares(whole, support), support, in_order))
    return max(distances)


def exchange(Z, labels, ranks, ordered, totals, t):
    """Return the labels in the end."""
    labels = labels.copy()

    def members(group):
        return np.flatnonzero(labels == group).tolist()

    seats = {group: members(group) for group in range(labels.max() + 1)}
    for group, own in seats.items():
        if far(own, ranks, ordered, totals) <= t:
            continue
        centre = Z[own].mean(axis=0)
        for candidate in sorted(range(len(Z)), key=lambda i: ((Z[i] - centre) ** 2).sum()):
            now = far(own, ranks, ordered, totals)
            if now <= t:
                break
            if labels[candidate] == group:
                continue
            changed = [
                far(own[:i] + [candidate] + own[i + 1 :], ranks, ordered, totals)
                for i in range(len(own))
            ]
            if min(changed) >= now:
                continue
            place = changed.index(min(changed))
            other = seats[labels[candidate]]
            seat = other.index(candidate)
            after = [*other[:seat], own[place], *other[seat + 1 :]]
            before = far(other, ranks, ordered, totals)
            if far(after, ranks, ordered, totals) > max(t, before):
                continue
            labels[own[place]], labels[candidate] = labels[candidate], group
            other[seat], own[place] = own[place], candidate
    return labels
