"""Columns as a table that formulas of regression models are evaluated on."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def model_frame(
    numbers: Mapping[str, NDArray[np.float64]],
    categories: Mapping[str, tuple[NDArray[np.int64], list[str]]],
) -> Any:
    """Return a pandas table of numbers and of categories, given as codes with their labels.

    The first label of a column is its reference category.
    """
    import pandas as pd

    columns: dict[str, Any] = dict(numbers)
    for name, (codes, labels) in categories.items():
        columns[name] = pd.Categorical.from_codes(codes, pd.Index(labels))
    return pd.DataFrame(columns)
