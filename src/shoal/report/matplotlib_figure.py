"""A matplotlib figure that notebooks show without pyplot and its global state."""

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure that is shown if it is the result of a cell."""

    def _repr_png_(self) -> bytes:
        if not isinstance(self.canvas, FigureCanvasAgg):
            FigureCanvasAgg(self)
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=self.dpi)
        return stream.getvalue()
