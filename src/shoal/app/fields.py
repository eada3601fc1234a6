"""Fields of the form, made from the signatures of steps, methods and efforts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from shoal import _params as parameters
from shoal._params import Parameter
from shoal._seeds import GENERATORS
from shoal._text import plain_text
from shoal.app.field_descriptions import FieldDescription, describe_field
from shoal.errors import ParameterError

PARAMETERS_WITHOUT_FIELD = {  # set by roles of columns and by fields that are not generated
    "columns", "partitioner", "within", "k", "method", "n_jobs", "unit", "household", "weight",
    "column_weights", "importance", "matrix",
}  # fmt: skip
TYPES_WITHOUT_FIELD = (NoneType, *GENERATORS)  # cannot be entered in a field
DEFAULT_LABEL = "default"  # of a choice that leaves a parameter out


@dataclass(frozen=True)
class Field:
    """A field of the form, for one parameter.

    Parameters
    ----------
    name : str
        Name of the field in the form.
    label, help, unit, group : str
        See `FieldDescription`.
    kind : str
        "choice", "whole", "number", "text", "list" or "lines".
    choices : tuple of (str, str)
        Values to choose from, each with its label.
    minimum, maximum : float, optional
        Limits of a number.
    default : str
        Value that an empty field stands for.
    """

    name: str
    label: str
    help: str = ""
    unit: str = ""
    group: str = ""
    kind: str = "text"
    choices: tuple[tuple[str, str], ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    default: str = ""

    @property
    def expected(self) -> str:
        """Phrase that describes the accepted values."""
        if self.kind == "choice":
            return f"one of: {', '.join(label for _, label in self.choices)}"
        if self.kind in ("whole", "number"):
            phrase = "a whole number" if self.kind == "whole" else "a number"
            phrase += "" if self.minimum is None else f" from {self.minimum:g}"
            return phrase if self.maximum is None else f"{phrase} to {self.maximum:g}"
        return {"list": "a list, separated by commas", "lines": "lines such as old = new"}.get(
            self.kind, "as described beside it"
        )

    def label_of(self, value: str) -> str:
        """Return the label of a value."""
        return dict(self.choices).get(value, value)


def make_fields(cls: type, owner: str, prefix: str) -> list[Field]:
    """Return the fields for the parameters of ``cls``, which `FIELDS` calls ``owner``."""
    return [
        make_field(parameter, owner, f"{prefix}:{name}")
        for name, parameter in parameters.signature_parameters(cls).items()
        if name not in PARAMETERS_WITHOUT_FIELD
    ]


def make_field(parameter: Parameter, owner: str, name: str) -> Field:
    """Return the field for a parameter."""
    description = describe_field(owner, parameter.name) or FieldDescription(
        parameter.name.replace("_", " ").capitalize(), plain_text(parameter.description)
    )
    annotations = [
        annotation
        for annotation in parameters.union_members(parameter.annotation)
        if annotation not in TYPES_WITHOUT_FIELD and get_origin(annotation) is not Mapping
    ]
    default = "" if parameter.required or parameter.default is None else parameter.default
    default_text = str(default).lower() if isinstance(default, bool) else str(default)
    kind, minimum, maximum = _field_kind(annotations, description)
    return Field(
        name,
        description.label,
        description.help,
        description.unit,
        description.group,
        kind,
        _choices(annotations, description, default_text) if kind == "choice" else (),
        minimum,
        maximum,
        default_text,
    )


def _field_kind(
    annotations: Sequence[Any], description: FieldDescription
) -> tuple[str, float | None, float | None]:
    """Return the kind of a field, and the limits of its number."""
    if not annotations:
        return "lines", None, None
    if (
        description.choices
        or annotations == [bool]
        or all(get_origin(annotation) is Literal for annotation in annotations)
    ):
        return "choice", None, None
    base, *rules = (
        get_args(annotations[0]) if get_origin(annotations[0]) is Annotated else [annotations[0]]
    )
    if get_origin(base) is not None:
        return "list", None, None
    if base not in (int, float) or any(
        get_origin(annotation) is Literal for annotation in annotations
    ):
        return "text", None, None
    minimum = next((getattr(rule, "bound", getattr(rule, "low", None)) for rule in rules), None)
    maximum = next((getattr(rule, "high", None) for rule in rules), None)
    return "whole" if base is int else "number", minimum, maximum


def _choices(
    annotations: Sequence[Any], description: FieldDescription, default: str
) -> tuple[tuple[str, str], ...]:
    values = [str(value) for annotation in annotations for value in _literals(annotation)]
    if not all(
        get_origin(annotation) is Literal or annotation is bool for annotation in annotations
    ):
        values = list(description.choices)
    if default not in values:
        values = [default, *values]
    return tuple(
        (value, description.choices.get(value, value or DEFAULT_LABEL)) for value in values
    )


def _literals(annotation: Any) -> Sequence[Any]:
    return ("false", "true") if annotation is bool else get_args(annotation)


def read_parameters(
    cls: type, fields: Sequence[Field], settings: Mapping[str, str]
) -> dict[str, Any]:
    """Return the parameters of ``cls`` whose fields were filled in."""
    signature = parameters.signature_parameters(cls)
    values: dict[str, Any] = {}
    for field in fields:
        text = settings.get(field.name, "")
        if not text:
            continue
        name = field.name.rpartition(":")[2]
        value = _parse_text(field, text, signature[name])
        if not signature[name].accepts(value):
            raise not_accepted_error(field)
        values[name] = value
    return values


def not_accepted_error(field: Field) -> ParameterError:
    """Return the error for a field with an invalid value, which the message does not repeat."""
    return ParameterError(
        f"“{field.label}” must be {field.expected}.",
        code="parameter-not-accepted",
        parameter=field.name.rpartition(":")[2],
    )


def _parse_text(field: Field, text: str, parameter: Parameter) -> Any:
    if field.kind == "list":
        texts = [word.strip() for word in text.split(",") if word.strip()]
        values = [number_or_text(word) for word in texts]
        return values if parameter.accepts(values) else texts
    if field.kind == "lines":
        pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
        if not all(mark for _, mark, _ in pairs):
            raise not_accepted_error(field)
        return {original.strip(): replacement.strip() for original, _, replacement in pairs}
    return parameter.parse(text)


def number_or_text(word: str) -> Any:
    """Return the number that a word spells, or else the word.

    Examples
    --------
    >>> number_or_text("18"), number_or_text("2.5"), number_or_text("2020-01-01")
    (18, 2.5, '2020-01-01')
    """
    try:
        return int(word) if word.lstrip("+-").isdecimal() else float(word)
    except ValueError:
        return word
