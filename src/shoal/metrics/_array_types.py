"""Types of arrays, named after their contents."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]  # of shape (n_records, n_columns)
Values = NDArray[np.float64]  # one number for each record, column or class
Labels = NDArray[np.int64]  # the class, group or unit of each record, numbered from 0
Codes = NDArray[np.int64]  # values as integers; -1 for a missing value, if values can be missing
Counts = NDArray[np.int64]
Rows = NDArray[np.int64]  # positions of records in a table
Mask = NDArray[np.bool_]
AnyValues = NDArray[np.generic]  # values of any type, or codes for them
