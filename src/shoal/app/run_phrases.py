"""Sentences and phrases that describe runs."""

from shoal.app import labels
from shoal.app.sessions import Run

ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}  # by last digit, except for 11th, 12th and 13th


def chosen_method_sentence(run: Run) -> str:
    """Return a sentence about the automatically chosen method, or "" if the user chose one.

    Examples
    --------
    >>> run = Run(settings={"method": "auto"}, result={"methods": ["mdav + refine"]})
    >>> chosen_method_sentence(run)
    'The automatic choice was MDAV, then refine.'
    """
    methods = run.result.get("methods") or []
    if run.settings.get("method", "auto") != "auto" or not methods:
        return ""
    return f"The automatic choice was {'; '.join(dict.fromkeys(map(_method_phrase, methods)))}."


def _method_phrase(label: str) -> str:
    """Return a label of the registry, such as ``mdav + refine``, with the labels of the page."""
    label_of = {name: choice.label for name, choice in {**labels.METHODS, **labels.EFFORTS}.items()}
    method, *efforts = label.split(" + ")
    name, _, blocks = method.partition(" in ")
    text = label_of.get(name, name) + (f" in {blocks}" if blocks else "")
    return ", then ".join([text, *(label_of.get(effort, effort) for effort in efforts)])


def announcement_sentence(run: Run) -> str:
    """Return the sentence that screen readers announce when the state of a run changes."""
    name = f"Run {run.number}, {run.title},"
    if run.state == "waiting":
        return f"{name} is waiting."
    if run.state == "running":
        return f"{name} has started."
    if run.state == "cancelled":
        return f"{name} was cancelled."
    if run.state == "failed":
        return f"{name} has failed. {run.reason}"
    return f"{name} has finished. {run.result['sentence']}"


def queue_phrase(run: Run, runs: list[Run]) -> str:
    """Return the position of a waiting run in the queue, as a phrase."""
    position = sum(other.state == "waiting" and other.number < run.number for other in runs) + 1
    place = "next" if position == 1 else _ordinal(position)
    return f"waiting: {place} in the queue"


def _ordinal(number: int) -> str:
    """Return a number as an ordinal.

    Examples
    --------
    >>> [_ordinal(number) for number in (2, 3, 4, 11, 12, 21, 112)]
    ['2nd', '3rd', '4th', '11th', '12th', '21st', '112th']
    """
    tens, digit = divmod(number, 10)
    if tens % 10 == 1 or digit not in ORDINALS:
        return f"{number}th"
    return f"{tens or ''}{ORDINALS[digit]}"
