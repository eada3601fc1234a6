"""Text columns of a table in memory that contain numbers."""

from collections.abc import Sequence

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow.compute as pc

from shoal.frame.notation.numerals import read_numerals
from shoal.frame.tables import Frame, arrow


def text_to_numbers(frame: Frame, columns: Sequence[str], decimal: str = ".") -> Frame:
    """Return the frame with text in ``columns`` as numbers if all cells of a column are numbers.

    Other text stays as it is; it is refused where numbers are needed.
    """
    numbers = []
    for name in columns:
        if frame[name].dtype != nw.String:
            continue
        parsed = read_numerals(pc.utf8_trim_whitespace(arrow(frame, name)), decimal)[0]
        if parsed is not None:
            values = np.asarray(parsed.cast("float64").to_numpy(zero_copy_only=False))
            series = nw.new_series(name, values, backend=frame.implementation)
            numbers.append(series if parsed.null_count else series.cast(_number_type(parsed)))
    return frame.with_columns(numbers) if numbers else frame


def _number_type(parsed: object) -> type[nw.Int64] | type[nw.Float64]:
    return nw.Int64 if str(getattr(parsed, "type", "")) == "int64" else nw.Float64
