"""Compensated summation, so that means hardly depend on the order of the records.

A sum over records has a row for each column of the table: its leading part and the accumulated
rounding error.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.double_double import two_sum


@compiled
def add_compensated(total, value):
    """Add ``value`` to a sum that is kept as leading part and rounding error."""
    leading_part, rounding_error = two_sum(total[0], value)
    error = rounding_error + total[1]
    total[0] = leading_part + error
    total[1] = error - (total[0] - leading_part)


@compiled
def add_record(total, point):
    """Add a record to a sum over records."""
    for column in range(point.shape[0]):
        add_compensated(total[column], point[column])


@compiled
def add_records(total, X):
    """Add all rows of ``X`` to a sum over records."""
    for record in range(X.shape[0]):
        add_record(total, X[record])


@compiled
def write_mean(total, size, point):
    """Write the mean of ``size`` records with sum ``total`` into ``point``."""
    for column in range(point.shape[0]):
        point[column] = total[column, 0] / size
