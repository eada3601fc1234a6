"""Full-domain recoding by looking at every combination of levels."""

from itertools import product


def best_recoding(paths, rows, losses, k, max_suppressed=0, units=None):
    """Return the least mean loss of a cell; None where no combination attains k.

    ``paths[column][value]`` lists the ancestors of a value, and ``losses[column][level][value]``
    what a cell loses there.
    """
    found = [
        loss
        for node in product(*(range(len(next(iter(path.values())))) for path in paths))
        if (loss := _loss(node, paths, rows, losses, k, max_suppressed, units)) is not None
    ]
    return min(found, default=None)


def _loss(node, paths, rows, losses, k, max_suppressed, units):
    members = {}
    for at, row in enumerate(rows):
        cells = zip(paths, row, node, strict=True)
        seen = tuple(path[value][level] for path, value, level in cells)
        members.setdefault(seen, []).append(at)

    def held(records):
        return len(records) if units is None else len({units[at] for at in records})

    classes = sorted(members.values(), key=held)
    suppressed = [at for one in classes if held(one) < k for at in one]
    if len(suppressed) > max_suppressed:
        return None
    if suppressed:
        for one in classes:
            if held(suppressed) >= k:
                break
            suppressed += [at for at in one if at not in suppressed]
        if held(suppressed) < k or len(suppressed) > max_suppressed:
            return None
    lost = 0.0
    for at, row in enumerate(rows):
        for column, (value, level) in enumerate(zip(row, node, strict=True)):
            lost += losses[column][-1 if at in suppressed else level][value]
    return lost / (len(rows) * len(paths))
