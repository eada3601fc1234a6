"""Groups exchange records, as the docstring says it."""

import numpy as np

from twins.classes import shares
from twins.closeness_first import distance


def distance_from_table(records, ranks, ordered, totals):
    """Return the greatest distance of a group from the table over all columns."""
    distances = []
    for column, in_order, total in zip(ranks.T, ordered, totals, strict=True):
        support = list(range(len(total)))
        all_values = [v for v, count in enumerate(total) for _ in range(count)]
        group_shares = shares([int(column[i]) for i in records], support)
        distances.append(distance(group_shares, shares(all_values, support), support, in_order))
    return max(distances)


def exchange(Z, labels, ranks, ordered, totals, t):
    """Return the labels after all exchanges."""
    labels = labels.copy()

    def members(group):
        return np.flatnonzero(labels == group).tolist()

    groups = {group: members(group) for group in range(labels.max() + 1)}
    for group, records in groups.items():
        if distance_from_table(records, ranks, ordered, totals) <= t:
            continue
        centre = Z[records].mean(axis=0)
        for candidate in sorted(range(len(Z)), key=lambda i: ((Z[i] - centre) ** 2).sum()):
            current = distance_from_table(records, ranks, ordered, totals)
            if current <= t:
                break
            if labels[candidate] == group:
                continue
            changed = [
                distance_from_table(
                    records[:i] + [candidate] + records[i + 1 :], ranks, ordered, totals
                )
                for i in range(len(records))
            ]
            if min(changed) >= current:
                continue
            position = changed.index(min(changed))
            other = groups[labels[candidate]]
            other_position = other.index(candidate)
            new_other = [*other[:other_position], records[position], *other[other_position + 1 :]]
            other_distance = distance_from_table(other, ranks, ordered, totals)
            if distance_from_table(new_other, ranks, ordered, totals) > max(t, other_distance):
                continue
            labels[records[position]], labels[candidate] = labels[candidate], group
            other[other_position], records[position] = records[position], candidate
    return labels
