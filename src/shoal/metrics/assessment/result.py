"""The result of `assess`: measures by name, with remarks."""

from collections.abc import Mapping
from typing import Any

from shoal.metrics.limits.figure_names import MEASURES_WITHOUT_FIGURE, flatten_figures
from shoal.metrics.subgroups import Subgroups


class Assessment(dict[str, Any]):
    """Value of each measure by name, with remarks on what could not be measured.

    If a measure has a number for each column, or several parts, its value is a mapping by column or
    by part.

    Parameters
    ----------
    values : mapping of str to number or mapping
        Value of each measure.
    remarks : mapping of str to str
        Why a measure, or columns of it, could not be computed, by the name of the measure.
    groups : Subgroups, optional
        The same measures by subgroup.
    unmet_needs : mapping of str to str, optional
        The input in `shoal.metrics.NEEDS` that a measure lacks, by the name of the measure.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        remarks: Mapping[str, str],
        groups: Subgroups | None = None,
        unmet_needs: Mapping[str, str] | None = None,
    ):
        super().__init__(values)
        self.remarks = dict(remarks)
        self.groups = groups
        self.unmet_needs = dict(unmet_needs or {})

    def figures(self) -> dict[str, float]:
        """Return the measures as numbers by name, for `Limits`; a column follows a colon."""
        figures = flatten_figures(
            {name: value for name, value in self.items() if name not in MEASURES_WITHOUT_FIGURE}
        )
        return figures | ({} if self.groups is None else self.groups.worst_figures())

    def reasons(self) -> dict[str, str]:
        """Return why measures were not computed, by name."""
        return {name: remark for name, remark in self.remarks.items() if name not in self}

    def _repr_html_(self) -> str:
        from shoal.report.notebook import assessment_html  # see docs/architecture.md

        return assessment_html(self)
