"""A summary for the terminal."""

from typing import Any


def one_line(summary: dict[str, Any]) -> str:
    """Return the truth about a release in one line."""
    groups = ", ".join(
        f"{entry['number']} groups of {entry['smallest']} to {entry['largest']}"
        for entry in summary["groups"][:3]
    )
    if len(summary["groups"]) > 3:
        groups += f" and {len(summary['groups']) - 3} more blocks"
    loss = next((m["value"] for m in summary["measures"] if m["name"] == "information_loss"), 0.0)
    return f"{summary['records']} records in {groups}; information loss {loss:.2f}%"


def table(measures: dict[str, Any]) -> str:
    """Return measures as aligned lines: name, value."""
    width = max(map(len, measures), default=0)
    return "\n".join(f"{name:<{width}}  {_shown(value)}" for name, value in measures.items())


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_shown(entry)}" for key, entry in value.items())
    return str(value)
