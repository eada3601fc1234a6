"""The measures of risk that runs are compared by, with the words that all interfaces show.

The first is the risk that reports and the web page show.
"""

from typing import NamedTuple


class Risk(NamedTuple):
    """The words and the scale of a measure of risk."""

    label: str  # of the axis of a plot
    short: str  # heading of the column of a table
    meaning: str
    scale: int = 100  # factor from the measure to the number that is shown

    def clause(self, value: float) -> str:
        """Return a value of the measure in words."""
        number = f"{self.scale * value:.3g}"
        return (
            f"{self.short.removesuffix(', %').lower()} {number}{' %' if self.scale == 100 else ''}"
        )


RISKS = {
    "reidentification": Risk(
        "records at risk in %",
        "Records at risk, %",
        "Records at risk: the share of all records that are linked to the right person by an"
        " attacker who knows the quasi-identifiers of every person and guesses among the records"
        " that look alike. It is the mean of 1 / (size of the class of a record), in units if these"
        " are counted.",
    ),
    "linkage": Risk(
        "records whose nearest original is their own, in %",
        "Linked, %",
        "Linked: the share of all released records whose nearest original record is their own.",
    ),
    "linkage_top2": Risk(
        "records with their own original among the two nearest, in %",
        "Linked in two guesses, %",
        "Linked in two guesses: the share of all released records whose own original record is"
        " among the two nearest.",
    ),
    "smallest_class": Risk(
        "smallest class (more is safer)",
        "Smallest class",
        "Smallest class: the smallest number of records that look alike.",
        scale=1,
    ),
}
DEFAULT_RISK = "reidentification"
