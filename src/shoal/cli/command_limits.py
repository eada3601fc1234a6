"""Limits that ``--limits`` sets on the figures of a command."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.metrics.limits import LimitResults
    from shoal.metrics.limits.figure_names import HasFigures


class CommandLimits:
    """The limits of a file that concern the figures of one command, and whether they are met.

    Parameters
    ----------
    path : Path or None
        File of limits, or None for no limits.
    command : str
        Name of the command, such as "assess".
    """

    def __init__(self, path: Path | None, command: str):
        from shoal.metrics.limits import Limits

        all_limits = Limits() if path is None else Limits.load(path)
        self.limits: Limits = all_limits.by(command)
        self.other_limits = [limit for limit in all_limits if limit.command != command]
        self.results: LimitResults | None = None
        if path is not None and not self.limits:
            raise ParameterError(
                f"{path.name!r} sets no limit on a figure of 'shoal {command}'. Add one, or leave"
                " --limits out.",
                code="no-limit-of-command",
                file=path.name,
                command=command,
            )

    def check(self, result: "HasFigures") -> None:
        """Compare the figures of a result with the limits."""
        self.results = self.limits.check(result) if self.limits else None

    @property
    def content(self) -> dict[str, Any]:
        """The results for JSON, or an empty dict without limits."""
        if self.results is None:
            return {}
        return {
            "limits": self.results.to_list(),
            "limits_not_checked": [limit.name for limit in self.other_limits],
        }

    @property
    def text(self) -> str:
        """The results for a reader, or an empty string without limits."""
        if self.results is None:
            return ""
        others = [
            f"-    {limit.name} = {limit.value:g}: not checked here, see 'shoal {limit.command}'"
            for limit in self.other_limits
        ]
        return "\n".join(["", str(self.results), *others])

    def exit_if_not_met(self) -> None:
        """Exit with code 1 if a limit is not met."""
        if self.results is not None and not self.results.passed:
            raise typer.Exit(1)
