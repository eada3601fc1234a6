"""Rules that decide the kind of a column, each with its reason.

The rules are tried in order; the first that applies decides. A plan uses the decision for columns
without a declared type, `inspect` shows it, and a starter plan writes it down.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.column_names import words_of
from shoal.frame.inference.column_facts import ColumnFacts, Metadata
from shoal.frame.inference.value_labels import decide_by_labels
from shoal.frame.notation.date_formats import possible_formats
from shoal.frame.notation.numerals import has_open_ends, parse_numerals
from shoal.frame.notation.texts import text_of
from shoal.frame.types import Kind, Type

MIN_DATES = 3  # distinct numbers of eight digits that suffice to take them for dates
CLASSIFICATION_NAMES = {
    "zip", "zipcode", "postcode", "postalcode", "postal", "plz", "nace", "isco", "sic", "naics",
    "soc", "fips", "nuts", "lau", "icd", "cpv", "isced", "ateco",
}  # fmt: skip
MISSING_WORDS = {"na", "n/a", "n.a.", "#n/a", "nan", "null", ".", "-", "--", "?", "missing"}
# Names that indicate codes only if all values have the same number of digits.
GENERIC_CODE_WORDS = {"code", "codes", "cod", "kod", "kode", "codigo", "codice"}
MIN_DIGITS = 3  # of the codes that such a name indicates
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Decision:
    """The kind of a column and the reason.

    Parameters
    ----------
    type : Type
        The kind, with an order or a format if it needs one.
    why : str
        Reason for the decision, as a clause that follows "because".
    inferred : bool
        Whether the kind differs from the kind of the column's type in the table.
    missing_codes : tuple of str
        Values that stand for a missing value.
    formats : tuple of str
        The formats of dates that can be read in two ways.
    """

    type: Type
    why: str
    inferred: bool = False
    missing_codes: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """The kind of the type."""
        return self.type.kind

    @property
    def type_with_reason(self) -> Type:
        """The type with the reason for it, as a plan records it."""
        return replace(self.type, why=self.why)


Rule = Callable[[ColumnFacts], Decision | None]


def decide_kind(
    name: str,
    array: Any,
    metadata: Metadata | None = None,
    *,
    text: Any = None,
    decimal: str = ".",
) -> Decision:
    """Return the kind of a column, the reason and its missing codes.

    Parameters
    ----------
    name : str
        Name of the column.
    array : pyarrow.Array or pyarrow.ChunkedArray
        Its values.
    metadata : Metadata, optional
        Metadata of the column in its file.
    text : pyarrow.ChunkedArray, optional
        Its cells as they stand in a text table, with blank cells as null.
    decimal : str
        Decimal mark of the text table.

    Returns
    -------
    Decision
        The decision of the first rule that applies.
    """
    facts = ColumnFacts(name, array, metadata, text, decimal)
    return next(decision for rule in RULES if (decision := rule(facts)) is not None)


def _by_type(facts: ColumnFacts) -> Decision | None:
    """Decide on columns whose kind follows from their type in the table."""
    arrow_type = facts.array.type
    if pa.types.is_boolean(arrow_type):
        return Decision(Type("boolean"), "its type in the table is boolean")
    if pa.types.is_temporal(arrow_type) and not pa.types.is_interval(arrow_type):
        return Decision(Type("date"), "its type in the table is a date or a time")
    if pa.types.is_dictionary(arrow_type):
        ordered = "ordered " if arrow_type.ordered else ""
        return Decision(
            Type("ordinal" if arrow_type.ordered else "nominal"),
            f"its type in the table has {ordered}categories",
        )
    return None


def _by_labels(facts: ColumnFacts) -> Decision | None:
    """Decide on columns with value labels."""
    if facts.metadata is None or not (facts.is_number or facts.is_text):
        return None
    labels = {  # a letter labels a missing code, which is already null
        value: label
        for value, label in facts.metadata.value_labels.items()
        if isinstance(value, str) == facts.is_text
    }
    decision = decide_by_labels(facts.name, labels, facts.distinct, facts.metadata.measure)
    if decision is None:
        return None
    codes = tuple(text_of(code) for code in decision.missing_codes if code in facts.distinct)
    if decision.type is not None:
        inferred = facts.is_number or decision.type.kind == "ordinal"
        return Decision(decision.type, decision.why, inferred, codes)
    return Decision(Type("numeric"), decision.why, False, codes)


def _by_measure(facts: ColumnFacts) -> Decision | None:
    """Decide on numbers without labels that the file declares as nominal or ordinal."""
    measure = None if facts.metadata is None else facts.metadata.measure
    if not facts.is_number or measure not in ("nominal", "ordinal"):
        return None
    if measure == "nominal" and not facts.is_whole:
        return Decision(Type("numeric"), "the file declares it as nominal, but it has decimals")
    kind: Kind = "nominal" if measure == "nominal" else "ordinal"
    return Decision(Type(kind), f"the file declares it as {measure}", inferred=True)


def _by_leading_zeros(facts: ColumnFacts) -> Decision | None:
    """Decide on digits with leading zeros in some cells: they are codes, not quantities."""
    texts = facts.texts
    if not any(text[:1] == "0" and len(text) > 1 for text in texts):
        return None
    if not all(text.isdecimal() for text in texts):
        return None
    return Decision(
        Type("nominal"), "its digits have leading zeros, so they are codes", inferred=True
    )


def _by_code_name(facts: ColumnFacts) -> Decision | None:
    """Decide on whole numbers in a column that has the name of a classification."""
    words = words_of(facts.name)
    if (
        not words & (CLASSIFICATION_NAMES | GENERIC_CODE_WORDS)
        or not facts.is_number
        or not facts.is_whole
    ):
        return None
    if matching_words := words & CLASSIFICATION_NAMES:
        why = f"its name suggests that the numbers are codes ({min(matching_words)})"
        return Decision(Type("nominal"), why, inferred=True)
    lengths = set(map(len, _whole_number_texts(facts)))
    if len(lengths) == 1 and min(lengths) >= MIN_DIGITS:
        name, digits = min(words & GENERIC_CODE_WORDS), min(lengths)
        why = f"its name ({name}) and its {digits} digits suggest that it holds codes"
        return Decision(Type("nominal"), why, inferred=True)
    return None


def _whole_number_texts(facts: ColumnFacts) -> list[str]:
    """Return the distinct whole numbers as text."""
    return [text_of(value) for value in facts.distinct]


def _by_dates(facts: ColumnFacts) -> Decision | None:
    """Decide on text, and on whole numbers such as 20240131, that are dates."""
    texts = facts.texts
    if facts.is_number:
        texts = _eight_digit_texts(facts)
    formats = possible_formats(texts) if texts and any(map(str.isdigit, texts[0])) else []
    if not formats:
        return None
    if len(formats) > 1:  # refused when it is read, unless the format is declared
        why = "its text reads as dates, of which day and month could be swapped"
        return Decision(Type("date"), why, inferred=True, formats=tuple(formats))
    date_format = formats[0]
    why = (
        f"its values read as dates written as {date_format}"
        if date_format
        else "its text reads as ISO dates"
    )
    return Decision(Type("date", format=date_format), why, inferred=True)


def _eight_digit_texts(facts: ColumnFacts) -> list[str]:
    """Return whole numbers of eight digits that may be dates, as text."""
    values = facts.decoded.drop_null()
    if len(values) == 0:
        return []
    low, high = (text_of(value.as_py()) for value in pc.min_max(values).values())
    if len(low) != 8 or len(high) != 8 or not facts.is_whole or len(facts.distinct) < MIN_DATES:
        return []
    return _whole_number_texts(facts)


def _by_numerals(facts: ColumnFacts) -> Decision | None:
    """Decide on numbers as people write them, and on numbers with open ends such as 90+."""
    texts = facts.texts
    if not texts or all(map(_PLAIN_NUMBER.fullmatch, texts)):
        return None
    style = parse_numerals(texts, facts.decimal)[1]
    if style is not None and style.is_plain:
        return None
    if style is not None:
        why = f"its cells are numbers with {style.describe()}"
        return Decision(Type("numeric"), why, inferred=True)
    if has_open_ends(texts):
        return Decision(Type("ordinal"), "its cells are numbers with open ends", inferred=True)
    return None


def _by_missing_words(facts: ColumnFacts) -> Decision | None:
    """Decide on text that consists of numbers or dates, except for words such as NA."""
    words = [text for text in facts.texts if text.lower() in MISSING_WORDS]
    other_texts = [text for text in facts.texts if text.lower() not in MISSING_WORDS]
    if not facts.is_text or not words or not other_texts:
        return None
    codes = tuple(words)
    exception_clause = "except for a word that stands for a missing value"
    if parse_numerals(other_texts, facts.decimal)[1] is not None:
        why = f"its cells are numbers, {exception_clause}"
        return Decision(Type("numeric"), why, inferred=True, missing_codes=codes)
    formats = possible_formats(other_texts)
    if len(formats) == 1:
        date_type = Type("date", format=formats[0])
        why = f"its cells are dates, {exception_clause}"
        return Decision(date_type, why, inferred=True, missing_codes=codes)
    return None


def missing_words(array: Any) -> tuple[str, ...]:
    """Return the texts of a column, such as NA, that are words for a missing value."""
    texts = ColumnFacts("", array).texts
    return tuple(sorted({text for text in texts if text.lower() in MISSING_WORDS}))


def _by_default(facts: ColumnFacts) -> Decision:
    """Decide by the type in the table."""
    if facts.is_number or pa.types.is_decimal(facts.array.type):
        return Decision(Type("numeric"), "its type in the table is numeric")
    return Decision(Type("nominal"), "its type in the table is text")


RULES: tuple[Rule, ...] = (
    _by_type,
    _by_labels,
    _by_measure,
    _by_leading_zeros,
    _by_code_name,
    _by_dates,
    _by_numerals,
    _by_missing_words,
    _by_default,
)
