"""The verdict on the command line: its status in colour, and a message for each finding."""

from typing import TYPE_CHECKING

import typer

from shoal.cli.console.session import current_wording
from shoal.cli.console.terminal import echo

if TYPE_CHECKING:
    from shoal.plan.verdict import Finding, Verdict

COLOURS = {"kept": "green", "qualified": "yellow", "not kept": "red"}
SHOWN_NOTES = ("confidential-key",)  # findings that are shown even if they only inform
LABELS = {
    "breaks": ("not kept", "red"),
    "qualifies": ("reservation", "yellow"),
    "informs": ("note", None),
}


def status_line(verdict: "Verdict") -> str:
    """Return the verdict in one line, coloured on a terminal."""
    status = typer.style(verdict.status, fg=COLOURS[verdict.status], bold=True)
    return f"verdict: {status}. {verdict.sentence}"


def print_findings(verdict: "Verdict") -> None:
    """Print the findings to standard error, with advice worded for the running command.

    Findings that only inform are left to the report, except for warnings and `SHOWN_NOTES`.
    """
    from shoal.plan.warnings import WARNING_CLASSES

    wording = current_wording()
    for finding in verdict.findings:
        if finding.severity != "informs" or finding.code in (*WARNING_CLASSES, *SHOWN_NOTES):
            print_finding(finding, finding.with_advice(wording))


def print_finding(finding: "Finding", text: str) -> None:
    """Print a finding to standard error."""
    label, colour = LABELS[finding.severity]
    echo(f"{label}: {text}", colour=colour, err=True)
