"""Types of arrays that measures take and return."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]  # of shape (n_records, n_columns)
Values = NDArray[np.float64]  # one number for each record, column or class
Labels = NDArray[np.int64]  # classes, units or codes of values, numbered from 0; or counts
