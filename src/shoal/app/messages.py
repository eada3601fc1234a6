"""Messages of Shoal, with options named by the labels of their fields on the page."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from shoal.app import labels
from shoal.app.fields import Field, not_accepted_error
from shoal.app.form import SHUFFLE, all_fields
from shoal.errors import ShoalError

# Codes of sentences whose advice the form has already applied.
APPLIED_SUGGESTIONS = ("hierarchy-suggested",)
_NOT_ACCEPTED_CODES = ("parameter-not-accepted", "parameter-missing")


def page_wording(name: str, value: str | None) -> str:
    """Return the name of an option on the page: the label of its field.

    >>> page_wording("small_strata", '"merge"'), page_wording("missing_text", None)
    ('“Small strata: merge with the nearest”', '“Sign for a missing value” when you load the file')
    >>> page_wording("shuffle", "True")
    '“Order of the records: random”'
    """
    plain_value = None if value is None else value.strip("\"'")
    if plain_value in labels.VALUES.get(name, {}):
        return labels.VALUES[name][plain_value]
    if plain_value is not None and name in ("separator", "decimal", "encoding", "sheet"):
        return f"{labels.OPTIONS[name][:-1]}: {plain_value}”"
    field = _fields().get(name)
    if field is None:
        label = labels.OPTIONS.get(name, f"“{name.replace('_', ' ').capitalize()}”")
        return label if plain_value is None else f"{label}: {plain_value}"
    if plain_value is None:
        return f"“{field.label}”"
    choice = plain_value.lower() if plain_value == "True" else plain_value
    return f"“{field.label}: {field.label_of(choice)}”"


def message_of(error: ShoalError) -> str:
    """Return the message of an error in the words of the page."""
    parameter = error.attributes.get("parameter")
    field = _fields().get(str(parameter))
    if error.code in _NOT_ACCEPTED_CODES and parameter == "k":
        only = re.search(r"equal to (\d+)", error.template)
        if only:
            return f"This method is defined for k = {only[1]} only."
        return "“k” must be a whole number from 1."
    if error.code in _NOT_ACCEPTED_CODES and field is not None and error.attributes.get("of"):
        return str(not_accepted_error(field))
    return error.message_for(page_wording)


def inspection_remarks(sentences: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the remarks of an inspection that the form has not already taken into account."""
    return [
        str(sentence["text"]).replace(" (shuffle)", f" ({page_wording('shuffle', 'True')})")
        for sentence in sentences
        if sentence["code"] not in APPLIED_SUGGESTIONS
    ]


@cache
def _fields() -> dict[str, Field]:
    """Return a field for every parameter, by its name; fields of microaggregation come first."""
    field_by_parameter: dict[str, Field] = {SHUFFLE.name: SHUFFLE}
    for field in all_fields():
        field_by_parameter.setdefault(field.name.rpartition(":")[2], field)
    return field_by_parameter
