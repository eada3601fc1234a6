"""Local recoding on small tables: losses of groups, every change, every partition."""

from itertools import combinations


def group_loss(members, paths, numbers):
    """Return the loss of a group that shows its lowest common ancestors and its ranges.

    ``paths[column][record]`` lists pairs of an ancestor and its loss, from the value up; it is None
    where the value is missing.
    """
    total = 0.0
    for column in paths:
        present = [column[record] for record in members if column[record] is not None]
        for step in zip(*present, strict=True):
            if len({ancestor for ancestor, _ in step}) == 1:
                total += sum(loss for _, loss in step)
                break
    for column in numbers:
        present = [column[record] for record in members if column[record] is not None]
        total += len(present) * (max(present) - min(present)) if present else 0.0
    return total


def loss(groups, paths, numbers):
    return sum(group_loss(members, paths, numbers) for members in groups)


def holds(members, k, units):
    return len({units[record] for record in members}) >= k


def changes(groups, k, units):
    """Yield the groups after every move of one record and every exchange of two."""
    for a, members in enumerate(groups):
        for b, others in enumerate(groups):
            if a == b:
                continue
            for record in members:
                remaining = [entry for entry in members if entry != record]
                pairs = [(remaining, [*others, record])]
                pairs += [
                    ([*remaining, other], [*(entry for entry in others if entry != other), record])
                    for other in others
                ]
                for first, second in pairs:
                    if holds(first, k, units) and holds(second, k, units):
                        unchanged_groups = [
                            entry for c, entry in enumerate(groups) if c not in (a, b)
                        ]
                        yield [*unchanged_groups, first, second]


def partitions(records, k, units):
    """Yield every partition of the records into groups that hold k units."""
    if not records:
        yield []
        return
    first, other_records = records[0], records[1:]
    for size in range(len(other_records) + 1):
        for others in combinations(other_records, size):
            group = [first, *others]
            if holds(group, k, units):
                remaining = [record for record in other_records if record not in others]
                for other_groups in partitions(remaining, k, units):
                    yield [group, *other_groups]
