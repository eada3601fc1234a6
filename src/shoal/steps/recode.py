"""Recode columns as the user states: by a mapping, by bands, and rare values as one category."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from shoal._params import AtLeast
from shoal._text import count
from shoal.errors import InputError, PlanError, ValuesGeneralised
from shoal.frame.notation.texts import text_of
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import Step, StepResult
from shoal.steps.recoding.bands import (
    BandLimit,
    are_dates,
    band_index,
    band_labels,
    check_bands,
    to_plain_limits,
)
from shoal.steps.recoding.categories import (
    Categories,
    as_categories,
    read_categories,
    released_column,
)

OTHER = "other"


class Recode(Step):
    """Replace values by categories that the user names [HDF12]_.

    Values are replaced by a ``mapping``, or numbers and dates by ``bands``. Categories of fewer
    than ``min_count`` records are then joined into one category; without a mapping and bands, the
    original values are the categories. Missing values stay missing.

    A column keeps its type if the new values fit it: if they all occur in the column already, as
    when codes are joined to one of them, or if a numeric column gets other numbers. Otherwise the
    column becomes text.

    The step guarantees no k-anonymity; the verdict counts classes on the released values.

    Parameters
    ----------
    columns : list of str
        Columns to recode, all in the same way.
    mapping : mapping of str to str, optional
        The new value of each value, both as text: the codes of labelled columns, not their labels.
    bands : list of float or str, optional
        Limits between bands, in ascending order: numbers, or ISO dates. A band begins at its lower
        limit, and the first and the last band are open.
    labels : list of str, optional
        Names of the bands, one more than there are limits.
    min_count : int, default=1
        Minimum number of records of a category; smaller categories become ``other``.
    unmapped : {"keep", "other", "refuse"}, default="keep"
        What happens to a value that the mapping does not name: ``"keep"`` it, replace it by the
        category ``other``, or ``"refuse"`` the table.
    other : str, default="other"
        The category of rare values and of values that are not mapped.

    References
    ----------
    .. [HDF12] Hundepool, A., Domingo-Ferrer, J., Franconi, L., Giessing, S., Schulte
       Nordholt, E., Spicer, K. and de Wolf, P.-P. (2012). Statistical disclosure
       control. Wiley.
    """

    name = "recode"
    paper = "HDF12"
    accepts_any_kind = True

    def __init__(
        self,
        columns: Sequence[str],
        *,
        mapping: Mapping[str, str] | None = None,
        bands: Sequence[float | str | dt.date] | None = None,
        labels: Sequence[str] | None = None,
        min_count: Annotated[int, AtLeast(1)] = 1,
        unmapped: Literal["keep", "other", "refuse"] = "keep",
        other: str = OTHER,
    ):
        self.columns = as_list(columns)
        self.mapping = _as_texts(mapping)
        self.bands = bands if bands is None or isinstance(bands, str) else to_plain_limits(bands)
        self.labels = labels
        self.min_count = min_count
        self.unmapped = unmapped
        self.other = other
        self._validate()
        self._check_consistent()

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        return (
            "Values were replaced by coarser categories that the plan names; this guarantees no"
            " k-anonymity."
        )

    @property
    def keeps_classes(self) -> bool:
        """Whether equal values stay equal, which is always so: each value becomes one category."""
        return True

    @property
    def recoded_columns(self) -> list[str]:
        """The columns whose release may contain categories that the original lacks."""
        return self.columns

    @property
    def numeric_columns(self) -> list[str]:
        """The columns with bands of numbers; all others are compared as they are written."""
        are_numbers = self.bands is not None and not are_dates(self._limits)
        return self.columns if are_numbers else []

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the recoded values of ``frame``."""
        del confidential
        recodings = {
            name: self._recode(frame, name, (types or {}).get(name)) for name in self.columns
        }
        return StepResult(
            {
                name: released_column(frame, name, recoding.original, recoding.recoded)
                for name, recoding in recodings.items()
            },
            warnings=tuple(
                self._warning(name, recoding)
                for name, recoding in recodings.items()
                if recoding.n_unmapped or recoding.n_merged
            ),
        )

    @property
    def _limits(self) -> list[BandLimit]:
        """The limits between bands; none if there are no bands."""
        return to_plain_limits(self.bands or ())

    def _check_consistent(self) -> None:
        """Refuse options that contradict each other or have no effect."""
        if self.mapping is not None and self.bands is not None:
            raise PlanError(
                "`mapping` and `bands` are both given. Leave one of them out, or use two steps.",
                code="recode-twice",
            )
        if not self.mapping and self.bands is None and self.min_count == 1:
            raise PlanError(
                "The step does not state how to recode. Give `mapping`, `bands` or `min_count`.",
                code="recode-nothing",
            )
        for option, is_set, requirement in (
            ("labels", self.labels is not None, self.bands),
            ("unmapped", self.unmapped != "keep", self.mapping),
        ):
            if is_set and requirement is None:
                required_option = "bands" if option == "labels" else "mapping"
                raise PlanError(
                    f"`{option}` needs `{required_option}`. Give both, or leave `{option}` out.",
                    code="option-without-effect",
                    option=option,
                )
        if self.bands is not None:
            check_bands(self._limits, self.labels)

    def _recode(self, frame: Frame, name: str, declared_type: Type | None) -> "_Recoding":
        """Return the original and the recoded categories of a column."""
        original = read_categories(frame, name)
        n_unmapped = n_merged = 0
        if self.bands is None:
            texts, n_unmapped = self._apply_mapping(name, original)
            recoded = as_categories(texts, original.codes)
        else:
            index, is_whole = band_index(frame, name, self._limits, declared_type)
            recoded = as_categories(
                self.labels or band_labels(self._limits, is_whole=is_whole), index
            )
        if self.min_count > 1:
            is_rare = (recoded.counts < self.min_count) & (np.array(recoded.texts) != self.other)
            n_merged = int(is_rare.sum())
            texts = [
                self.other if is_rare_category else text
                for text, is_rare_category in zip(recoded.texts, is_rare, strict=True)
            ]
            recoded = as_categories(texts, recoded.codes)
        return _Recoding(original, recoded, n_unmapped, n_merged)

    def _apply_mapping(self, name: str, original: Categories) -> tuple[list[str], int]:
        """Return the new text of each category, and the number of cells that are not mapped."""
        if self.mapping is None:
            return original.texts, 0
        is_unmapped = np.array(
            [*(text not in self.mapping for text in original.texts), False], bool
        )
        has_unmapped_value = is_unmapped[original.codes]
        n_unmapped, record = int(has_unmapped_value.sum()), int(np.argmax(has_unmapped_value)) + 1
        if self.unmapped == "refuse" and n_unmapped:
            raise InputError(
                f"Column {name!r} has {count(n_unmapped, 'cell')} with a value that the mapping"
                f" does not name; the first is in record {record}. Name all values, or use"
                ' `unmapped="keep"` or `unmapped="other"`.',
                code="value-not-mapped",
                column=name,
                count=n_unmapped,
                record=record,
            )
        keeps_unmapped = self.unmapped == "keep"
        return [
            self.mapping.get(text, text if keeps_unmapped else self.other)
            for text in original.texts
        ], n_unmapped

    def _warning(self, name: str, recoding: "_Recoding") -> ValuesGeneralised:
        """Return the warning that states the categories, and what became of unmapped values."""
        recoded = recoding.recoded
        n_categories = count(len(recoded.texts), "category", "categories")
        sentences = [f"Column {name!r} was recoded to {n_categories}."]
        if recoding.n_unmapped:
            outcome = "keep their values" if self.unmapped == "keep" else f"became {self.other!r}"
            sentences.append(
                f"{recoding.n_unmapped:,} cells that the mapping does not name {outcome}."
            )
        if recoding.n_merged:
            rare_categories = count(recoding.n_merged, "rare category", "rare categories")
            sentences.append(f"{rare_categories} became {self.other!r}.")
        is_too_small = bool((recoded.counts < self.min_count).any())
        if is_too_small:
            sentences.append(
                f"{self.other!r} still holds fewer than min_count = {self.min_count} records."
            )
        return ValuesGeneralised(
            " ".join(sentences),
            code="values-generalised",
            columns=(name,),
            categories=len(recoded.texts),
            unmapped=recoding.n_unmapped,
            merged=recoding.n_merged,
            too_small=is_too_small,
        )


class _Recoding(NamedTuple):
    """A column before and after recoding, and the numbers of unmapped cells and rare categories."""

    original: Categories
    recoded: Categories
    n_unmapped: int
    n_merged: int


def _as_texts(mapping: Any) -> Any:
    """Return a mapping with its keys and values as text; other objects are returned as they are."""
    if not isinstance(mapping, Mapping):
        return mapping
    are_plain = [isinstance(value, str | int | float) for pair in mapping.items() for value in pair]
    if not all(are_plain):
        return mapping
    texts = [(text_of(original), text_of(recoded)) for original, recoded in mapping.items()]
    if len({original for original, _ in texts}) < len(set(texts)):
        raise PlanError(
            "The mapping gives two new values for one value, written in two ways. Keep one.",
            code="mapping-contradicts",
        )
    return dict(texts)
