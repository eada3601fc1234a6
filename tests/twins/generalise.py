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
    for at, row in enumerate(rows):
        cells = zip(paths, row, node, strict=True)
        seen = tuple(path[value][level] for path, value, level in cells)
        members.setdefault(seen, []).append(at)

    def held(records):
        return len(records) if units is None else len({units[at] for at in records})

    def passes(records):
        return held(records) >= k and (meets is None or meets(records))

    classes = sorted((members[seen] for seen in sorted(members)), key=held)
    suppressed = [at for one in classes if not passes(one) for at in one]
    others = [one for one in classes if passes(one)]

    def loss(suppressed):
        return _loss_of_node(node, paths, rows, losses, classes, suppressed, pairs)

    if len(suppressed) > max_suppressed:
        return None
    if suppressed:
        if held(suppressed) < k:
            fuller = [
                (loss([*suppressed, *(at for one in added for at in one)]), held(added[0]), added)
                for number in (1, 2)
                for added in combinations(others, number)
                if len(suppressed) + sum(map(len, added)) <= max_suppressed
            ]
            if not fuller:
                return None
            least = min(fuller, key=lambda one: (round(one[0], 12), one[1]))[2]
            suppressed += [at for one in least for at in one]
            others = [one for one in others if one not in least]
        if meets is None:
            return loss(suppressed)
        added = 0
        while not passes(suppressed) and added < len(others) and len(suppressed) <= max_suppressed:
            more = min(2 * added + 1, len(others))
            suppressed += [at for one in others[added:more] for at in one]
            added = more
        if not passes(suppressed) or len(suppressed) > max_suppressed:
            return None
    return loss(suppressed)


def _loss_of_node(node, paths, rows, losses, classes, suppressed, pairs):
    if pairs:
        kept = [[at for at in one if at not in suppressed] for one in classes]
        alike = sum(len(one) ** 2 for one in kept) + len(rows) * len(suppressed)
        return alike / len(rows) ** 2
    lost = 0.0
    for at, row in enumerate(rows):
        for column, (value, level) in enumerate(zip(row, node, strict=True)):
            lost += losses[column][-1 if at in suppressed else level][value]
    return lost / (len(rows) * len(paths))
