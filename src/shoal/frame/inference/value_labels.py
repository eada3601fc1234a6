"""The kind of a column of labelled codes, by its value labels and its level of measurement."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from shoal.frame.column_names import words_of
from shoal.frame.inference.sentinels import is_sentinel
from shoal.frame.notation.texts import text_of
from shoal.frame.types import Type

Measure = Literal["nominal", "ordinal", "scale"]

_MISSING_LABEL = re.compile(
    r"\b(do ?n.?t know|do not know|dk|not (sure|known|stated|answered|applicable|ascertained|asked"
    r"|available|reported|specified|in universe)|no (answer|response|reply|information)|missing"
    r"|refus\w*|prefer not|rather not|declined|unknown|inap\w*|n/?a|undisclosed|skipped|invalid"
    r"|wei(ß|ss) nicht|keine angabe|verweigert|trifft nicht zu|ne sait pas|sans réponse"
    r"|non réponse|no sabe|no contesta|no aplica|niet van toepassing|weet niet|vet (ej|inte)"
    r"|nem tudja|nem válaszolt?|nincs válasz|nie wiem|brak odpowiedzi)\b",
    re.IGNORECASE,
)
_DESCRIBES_NUMBER = re.compile(
    r"\d|\b(more|over|older|less|under|below|above|none|zero|never)\b", re.I
)
_ANSWER_SCALES = [
    [[word.strip() for word in step.split("/")] for step in scale.split("<")]
    for scale in (
        "never < rarely/seldom/hardly ever < sometimes/occasionally < often/frequently/regularly"
        " < usually/very often/mostly < always",
        "very bad/very poor < bad/poor < fair/average/neither good nor bad < good < very good"
        " < excellent",
        "strongly disagree/disagree strongly/totally disagree/completely disagree"
        " < disagree/tend to disagree/somewhat disagree"
        " < neither/neither agree nor disagree/neutral/undecided"
        " < agree/tend to agree/somewhat agree"
        " < strongly agree/agree strongly/totally agree/completely agree",
        "very dissatisfied < dissatisfied/fairly dissatisfied"
        " < neither/neutral/neither satisfied nor dissatisfied"
        " < satisfied/fairly satisfied < very satisfied",
        "very low/very small < low/small < medium/middle/moderate/average/mid < high/large/big"
        " < very high/very large",
        "none/not at all/no < a little/little/slightly/some < somewhat/moderately/moderate"
        " < much/a lot/quite a bit/very/a great deal < very much/extremely",
        "much worse < worse/less/decreased/lower < same/the same/about the same/unchanged"
        " < better/more/increased/higher < much better",
        "primary/elementary < secondary/high school/middle school"
        " < college/tertiary/university/bachelor < postgraduate/master < doctorate/phd",
        "child/children < adolescent/teenager/youth < adult/adults < senior/seniors/elderly",
    )
]
NOMINAL_WORDS = {
    "race", "ethnic", "ethnicity", "sex", "gender", "region", "religion", "country", "state",
    "county", "province", "nationality", "citizenship", "language", "marital", "occupation",
    "industry", "sector", "party", "vote",
}  # fmt: skip
MAX_SCALE = 11  # values of a scale of which only the ends have labels


class LabelDecision(NamedTuple):
    """The type that labels suggest (None for numbers), the reason, and the missing codes."""

    type: Type | None
    why: str
    missing_codes: tuple[Any, ...] = ()


def is_missing_label(label: str) -> bool:
    """Return whether a label marks a missing value.

    Examples
    --------
    >>> [is_missing_label(label) for label in ("Don't know", "Refused", "No", "None")]
    [True, True, False, False]
    """
    return _MISSING_LABEL.search(label) is not None


def decide_by_labels(
    name: str, labels: Mapping[Any, str], values: Collection[Any], measure: str | None
) -> LabelDecision | None:
    """Return the decision that value labels suggest, or None if the column has no labels.

    Parameters
    ----------
    name : str
        Name of the column.
    labels : mapping
        Labels of values.
    values : collection
        The distinct values that occur.
    measure : str or None
        Level of measurement that the file declares.

    Returns
    -------
    LabelDecision or None
        The type, the reason and the missing codes.
    """
    if not labels:
        return None
    missing = {value for value, label in labels.items() if is_missing_label(label)}
    value_labels = {value: label for value, label in labels.items() if value not in missing}
    unlabelled = [value for value in values if value not in labels]
    if not unlabelled and value_labels:
        return _fully_labelled(name, value_labels, missing, measure)
    if not value_labels:
        codes = tuple(value for value in values if value in missing)
        return LabelDecision(None, "only its missing codes have labels", codes)
    return _partly_labelled(value_labels, missing, values, unlabelled, measure)


def _fully_labelled(
    name: str, value_labels: Mapping[Any, str], missing: Collection[Any], measure: str | None
) -> LabelDecision:
    """Decide on a column whose values all have labels."""
    n_labels = len(value_labels)
    count_clause = (
        f"its {n_labels:,} values have labels" if n_labels > 1 else "its value has a label"
    )
    scale_values = sorted_labels(value_labels)
    if scale_values is not None:
        is_ascending = list(scale_values) == sorted(value_labels)
        order = () if is_ascending else tuple(map(text_of, (*scale_values, *sorted(missing))))
        return LabelDecision(
            Type("ordinal", order), f"{count_clause}, which form a scale", tuple(missing)
        )
    if measure == "ordinal" and len(value_labels) > 2 and not words_of(name) & NOMINAL_WORDS:
        reason = f"{count_clause}, and the file declares it as ordinal"
        return LabelDecision(Type("ordinal"), reason, tuple(missing))
    return LabelDecision(Type("nominal"), count_clause)


def _partly_labelled(
    value_labels: Mapping[Any, str],
    missing: Collection[Any],
    values: Collection[Any],
    unlabelled: Sequence[Any],
    measure: str | None,
) -> LabelDecision:
    """Decide on a column in which only some values have labels."""
    if any(isinstance(value, str) for value in (*value_labels, *unlabelled)):
        return LabelDecision(Type("nominal"), "some of its values have labels")
    if measure in ("nominal", "ordinal"):
        kind: Literal["nominal", "ordinal"] = "ordinal" if measure == "ordinal" else "nominal"
        reason = f"the file declares it as {measure}, and some of its values have labels"
        return LabelDecision(Type(kind), reason, tuple(missing) if measure == "ordinal" else ())
    valid_values = [value for value in (*value_labels, *unlabelled) if value not in missing]
    low, high = min(valid_values), max(valid_values)
    is_whole = all(float(value).is_integer() for value in valid_values)
    if set(value_labels) <= {low, high} and is_whole and high - low < MAX_SCALE:
        reason = "the ends of its scale have labels"
        return LabelDecision(Type("ordinal"), reason, tuple(missing))
    sentinels = [
        value
        for value, label in value_labels.items()
        if not min(unlabelled) <= value <= max(unlabelled)
        and is_sentinel(value)
        and not _DESCRIBES_NUMBER.search(label)
    ]
    labelled_values = [
        value for value in value_labels if value in values and value not in sentinels
    ]
    if len(labelled_values) >= len(unlabelled):
        return LabelDecision(Type("nominal"), "most of its values have labels")
    codes = tuple(value for value in values if value in missing or value in sentinels)
    return LabelDecision(None, "few of its values have labels", codes)


def sorted_labels(labels: Mapping[Any, str]) -> list[Any] | None:
    """Return the values in the order that their labels give, or None if they give no order.

    Examples
    --------
    >>> sorted_labels({1: "high", 2: "low", 3: "medium"})
    [2, 3, 1]
    >>> sorted_labels({1: "0-14 years", 2: "15-64 years", 3: "65 and over"})
    [1, 2, 3]
    >>> sorted_labels({1: "hispanic", 2: "asian", 3: "white"})
    """
    if len(labels) < 3:
        return None
    texts = {value: re.sub(r"[^\w<>+ -]", " ", text).lower() for value, text in labels.items()}
    numbers = {value: re.search(r"\d[\d ]*", text) for value, text in texts.items()}
    ascending_values = sorted(labels)
    if all(numbers.values()):
        first_numbers = [int(re.sub(r"\D", "", numbers[value][0])) for value in ascending_values]  # type: ignore[index]
        is_ascending = all(
            first <= second
            for first, second in zip(first_numbers[:-1], first_numbers[1:], strict=True)
        )
        are_distinct = len(set(first_numbers)) >= len(first_numbers) - 1
        return ascending_values if is_ascending and are_distinct else None
    for scale in _ANSWER_SCALES:
        positions = {
            value: position
            for value, text in texts.items()
            for position, synonyms in enumerate(scale)
            if re.sub(r"^\s*\d+\W*", "", text).strip() in synonyms
        }
        if len(positions) == len(labels) == len(set(positions.values())):
            return sorted(labels, key=lambda value: positions[value])
    return None
