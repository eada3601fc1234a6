"""Count the records that satisfy conjunctions of conditions on columns."""

from shoal._kernels._compile import compiled

EQUAL, AT_MOST, AT_LEAST = 0, 1, 2
NO_CONDITION = -1  # in place of a column


@compiled
def meets_condition(table, record, column, operator, value):
    """Return whether a cell meets a condition; NaN equals NaN, and no inequality holds for it."""
    cell = table[record, column]
    if operator == AT_MOST:
        return cell <= value
    if operator == AT_LEAST:
        return cell >= value
    return cell == value or (cell != cell and value != value)


@compiled
def count_matches(table, columns, operators, values, limit, counts):
    """Count the records that meet all conditions of each predicate, up to ``limit``.

    Each row of ``columns``, ``operators`` and ``values`` is a predicate. A predicate with fewer
    conditions than others is padded with `NO_CONDITION`.
    """
    for predicate in range(columns.shape[0]):
        counts[predicate] = 0
        for record in range(table.shape[0]):
            matches = True
            for condition in range(columns.shape[1]):
                if columns[predicate, condition] == NO_CONDITION:
                    break
                if not meets_condition(
                    table,
                    record,
                    columns[predicate, condition],
                    operators[predicate, condition],
                    values[predicate, condition],
                ):
                    matches = False
                    break
            if matches:
                counts[predicate] += 1
                if counts[predicate] == limit:
                    break
