"""Local recoding on small tables: losses of groups, every change, every partition."""

from itertools import combinations


def group_loss(members, paths, numbers):
    """Return the loss of a group that shows its lowest common ancestors and its ranges.

    ``paths[column][record]`` lists pairs of an ancestor and its loss, from the value up; it is None
    where the value is missing.
    """
    total = 0.0
    for column in paths:
        known = [column[at] for at in members if column[at] is not None]
        for step in zip(*known, strict=True):
            if len({ancestor for ancestor, _ in step}) == 1:
                total += sum(loss for _, loss in step)
                break
    for column in numbers:
        known = [column[at] for at in members if column[at] is not None]
        total += len(known) * (max(known) - min(known)) if known else 0.0
    return total


def loss(groups, paths, numbers):
    return sum(group_loss(members, paths, numbers) for members in groups)


def holds(members, k, units):
    return len({units[at] for at in members}) >= k


def changes(groups, k, units):
    """Yield the groups after every move of one record and every exchange of two."""
    for a, members in enumerate(groups):
        for b, others in enumerate(groups):
            if a == b:
                continue
            for at in members:
                less = [one for one in members if one != at]
                pairs = [(less, [*others, at])]
                pairs += [
                    ([*less, other], [*(one for one in others if one != other), at])
                    for other in others
                ]
                for first, second in pairs:
                    if holds(first, k, units) and holds(second, k, units):
                        rest = [one for c, one in enumerate(groups) if c not in (a, b)]
                        yield [*rest, first, second]


def partitions(records, k, units):
    """Yield every partition of the records into groups that hold k units."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            group = [first, *others]
            if holds(group, k, units):
                left = [at for at in rest if at not in others]
                for more in partitions(left, k, units):
                    yield [group, *more]
