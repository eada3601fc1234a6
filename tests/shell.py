"""Commands of the command line, run in the process of the tests."""

from typer.testing import CliRunner, Result

from shoal.cli import app


def shell(*words: object, color: bool = False) -> Result:
    """Run the command that consists of the words."""
    return CliRunner().invoke(app, [str(word) for word in words], color=color)


def shell_line(line: str) -> Result:
    """Run the command in a line without quoted blanks."""
    return shell(*line.split())
