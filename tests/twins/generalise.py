"""Full-domain recoding by looking at every combination of levels."""

from itertools import combinations, product


def best_recoding(paths, rows, losses, k, max_suppressed=0, units=None, meets=None, pairs=False):
    """Return the least loss; None where no combination attains k and the constraint.

    ``paths[column][value]`` lists the ancestors of a value, and ``losses[column][level][value]``
    what a cell loses there; with ``pairs`` the loss is the discernibility. ``meets`` tells whether
    a list of records meets the constraint.
    """
    attainable = [
        loss
        for node in product(*(range(len(next(iter(path.values())))) for path in paths))
        if (loss := _loss(node, paths, rows, losses, k, max_suppressed, units, meets, pairs))
        is not None
    ]
    return min(attainable, default=None)


def _loss(node, paths, rows, losses, k, max_suppressed, units, meets, pairs):
    members = {}
    for record, row in enumerate(rows):
        cells = zip(paths, row, node, strict=True)
        key = tuple(path[value][level] for path, value, level in cells)
        members.setdefault(key, []).append(record)

    def n_members(records):
        return len(records) if units is None else len({units[record] for record in records})

    def passes(records):
        return n_members(records) >= k and (meets is None or meets(records))

    def records_of(classes):
        return [record for members in classes for record in members]

    classes = sorted((members[key] for key in sorted(members)), key=n_members)
    suppressed = records_of(c for c in classes if not passes(c))
    others = [c for c in classes if passes(c)]

    def loss(suppressed):
        return _loss_of_node(node, paths, rows, losses, classes, suppressed, pairs)

    if len(suppressed) > max_suppressed:
        return None
    if suppressed:
        if n_members(suppressed) < k:
            extensions = [
                (loss([*suppressed, *records_of(added)]), n_members(added[0]), added)
                for number in (1, 2)
                for added in combinations(others, number)
                if len(suppressed) + sum(map(len, added)) <= max_suppressed
            ]
            if not extensions:
                return None
            best = min(extensions, key=lambda entry: (round(entry[0], 12), entry[1]))[2]
            suppressed += records_of(best)
            others = [c for c in others if c not in best]
        if meets is None:
            return loss(suppressed)
        n_added = 0
        while (
            not passes(suppressed) and n_added < len(others) and len(suppressed) <= max_suppressed
        ):
            n_next = min(2 * n_added + 1, len(others))
            suppressed += records_of(others[n_added:n_next])
            n_added = n_next
        if not passes(suppressed) or len(suppressed) > max_suppressed:
            return None
    return loss(suppressed)


def _loss_of_node(node, paths, rows, losses, classes, suppressed, pairs):
    if pairs:
        sizes = [sum(record not in suppressed for record in c) for c in classes]
        n_pairs = sum(size**2 for size in sizes) + len(rows) * len(suppressed)
        return n_pairs / len(rows) ** 2
    lost = 0.0
    for record, row in enumerate(rows):
        for column, (value, level) in enumerate(zip(row, node, strict=True)):
            lost += losses[column][-1 if record in suppressed else level][value]
    return lost / (len(rows) * len(paths))
