"""What a command prints about a release: result, verdict and warnings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal._text import count
from shoal.cli.console.session import current_wording, print_result
from shoal.cli.console.terminal import echo
from shoal.cli.console.verdict import print_findings, status_line
from shoal.cli.masking.documents import STDOUT
from shoal.cli.options import ReleaseOptions

if TYPE_CHECKING:
    from shoal.plan.release import Release
    from shoal.report.identity import Identity
    from shoal.scale import LargeRelease


def print_release(
    release: "Release | LargeRelease",
    target: str,
    release_options: ReleaseOptions,
    *,
    identity: "Identity | None" = None,
    documents: Mapping[Path, str] | None = None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print result, verdict and warnings of a release; exit with code 1 if it is "not kept".

    ``documents`` describes the other files that were written.
    """
    from shoal.io.database.connection import redact_address
    from shoal.report.summary import summarise

    summary = summarise(
        release, release_options.audience, identity=identity, wording=current_wording()
    )
    location = redact_address(target)
    descriptions = {str(path): text for path, text in (documents or {}).items()}
    files: Sequence[Mapping[str, Any]] = getattr(release, "files", ())  # of a released folder
    content = {
        "target": location,
        "report": str(release_options.report) if release_options.report else None,
        "written": descriptions,
        **{name: entry for name, entry in summary.items() if name != "pictures"},
        **({"files": list(files)} if files else {}),
    }
    text = _release_text(
        release, location, summary, len(files), in_full=release_options.report == STDOUT
    )
    text += "".join(f"\n{path}: {description}" for path, description in descriptions.items())
    print_result(content, text, as_json=as_json, quiet=quiet)
    print_findings(release.verdict)
    for warning in summary["warnings"]:
        echo(f"warning: {warning}", colour="yellow", err=True)
    if release.verdict.status == "not kept":
        raise typer.Exit(1)


def _release_text(
    release: "Release | LargeRelease",
    location: str,
    summary: dict[str, Any],
    n_files: int,
    *,
    in_full: bool,
) -> str:
    """Return the result, the verdict and the limits, one line each; or the whole report."""
    from shoal.report.text import limit_line, one_line, whole_text

    if in_full:
        return f"{location}: {whole_text(summary)}"
    in_files = f", in {count(n_files, 'file')}" if n_files else ""
    lines = [f"{location}: {one_line(summary)}{in_files}", status_line(release.verdict)]
    return "\n".join([*lines, *map(limit_line, summary["limits"])])
