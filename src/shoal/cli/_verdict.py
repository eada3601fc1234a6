"""The verdict on the command line: its status in colour, then its findings as short lines."""

from typing import TYPE_CHECKING

import typer

from shoal.cli._session import current_wording

if TYPE_CHECKING:
    from shoal.plan.verdict import Finding, Verdict

COLOURS = {"kept": "green", "qualified": "yellow", "not kept": "red"}
LABELS = {
    "breaks": ("not kept", "red"),
    "qualifies": ("warning", "yellow"),
    "informs": ("note", ""),
}


def status_line(verdict: "Verdict") -> str:
    """Return the verdict in one line, in colour; a pipe gets it plain."""
    status = typer.style(verdict.status, fg=COLOURS[verdict.status], bold=True)
    return f"verdict: {status}. {verdict.sentence}"


def show_findings(verdict: "Verdict") -> None:
    """Print the findings to standard error, with ways out in the words of the command.

    Notes that nobody must know before signing stand in the report alone.
    """
    from shoal.plan.warnings import WARNING_CLASSES

    wording = current_wording()
    for finding in verdict.findings:
        if finding.severity != "informs" or finding.code in WARNING_CLASSES:
            show_finding(finding, finding.with_advice(wording))


def show_finding(finding: "Finding", text: str) -> None:
    """Print a finding to standard error."""
    label, colour = LABELS[finding.severity]
    typer.secho(f"{label}: {text}", fg=colour or None, err=True)
