"""Reports inside the output of a notebook."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.comparison.tradeoff import TradeoffPoint
from shoal.plan.release import ReleaseLike
from shoal.report.html import page, render
from shoal.report.identity import Identity, today
from shoal.report.scope import scoped_styles
from shoal.report.summary import summarise


class InlineReport:
    """A report that notebooks show, in a frame with styles of its own.

    Parameters
    ----------
    html : str
        The page, as it would be written to a file.
    """

    def __init__(self, html: str):
        self.html = html

    def __repr__(self) -> str:
        return f"InlineReport({len(self.html):,} characters of HTML)"

    def _repr_html_(self) -> str:
        return page("notebook/report.html", html=self.html, css=scoped_styles()).strip()


def inline_report(
    release: ReleaseLike,
    *,
    audience: str,
    curve: Sequence[TradeoffPoint],
    title: str,
    author: str,
    evidence: Mapping[str, Any] | None = None,
) -> InlineReport:
    """Return the report on ``release`` as an object that notebooks show."""
    identity = Identity(title, author, date=today())
    summary = summarise(release, audience, curve=curve, identity=identity, evidence=evidence)
    return InlineReport(render(summary))
