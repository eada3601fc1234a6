"""Post-randomisation (PRAM): change categories at random with known probabilities."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from shoal._params import Between, RandomState
from shoal._text import count
from shoal.errors import InputError, PlanError, ValuesRandomised
from shoal.frame.roles import as_list, name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import Step, StepResult, check_strata
from shoal.steps.constraints.strata import split_strata
from shoal.steps.recoding.categories import (
    Categories,
    as_categories,
    read_categories,
    released_column,
)
from shoal.steps.recoding.transitions import (
    Category,
    Codes,
    Matrix,
    Transitions,
    Vector,
    draw_categories,
    invariant_matrix,
    to_plain_matrix,
    uniform_matrix,
)

MAX_CATEGORIES = 1000  # categories of one matrix


class Pram(Step):
    """Change categories at random with known probabilities (PRAM) [KWG97]_.

    Each value of a column is kept or replaced by another, with the probabilities of a transition
    matrix. The matrix is published with the release, so that analysts can correct tables for it;
    see `shoal.metrics.estimate_frequencies`. By default the matrix is invariant: the expected
    frequencies of the release are the original ones, and uncorrected one-way tables are
    unbiased. Missing values stay missing.

    The step guarantees nothing about persons: a released value may be the original one, with a
    probability that the report states.

    Parameters
    ----------
    columns : list of str
        Categorical columns to mask.
    stay : float, optional
        Probability, in [0, 1), that a value is kept in the first of the two stages that make
        the invariant matrix; all other categories are equally likely. With ``invariant=False``,
        there is only one stage. Either ``stay`` or ``matrix`` is needed.
    matrix : mapping, optional
        Matrix of the first stage for each column: a mapping of categories to mappings of
        categories to probabilities, or ``categories`` and ``rows``. If ``joint``, a single matrix
        whose categories are lists with a value for every column.
    invariant : bool, default=True
        Whether to add the second stage, which keeps the expected frequencies at the original ones.
    joint : bool, default=False
        Whether the columns change together, as one variable whose categories are the
        combinations that occur. Otherwise they change independently.
    within : list of str, optional
        Columns whose values split the records into strata, each with its own matrix.
    random_state : int, Generator, RandomState or None
        Seed; if None, one is drawn and recorded in the plan of the release.

    References
    ----------
    .. [KWG97] Kooiman, P., Willenborg, L. and Gouweleeuw, J. (1997). PRAM: a method for
       disclosure limitation of microdata. Research paper 9705, Statistics Netherlands.
    """

    name = "pram"
    paper = "KWG97"
    accepts_any_kind = True
    computes_with_values = False

    def __init__(
        self,
        columns: Sequence[str],
        *,
        stay: Annotated[float, Between(0, 1)] | None = None,
        matrix: Mapping[str, object] | None = None,
        invariant: bool = True,
        joint: bool = False,
        within: str | Sequence[str] | None = None,
        random_state: RandomState = None,
    ):
        self.columns = as_list(columns)
        self.stay = stay
        self.matrix: Any = matrix
        self.invariant = invariant
        self.joint = joint
        self.within = within
        self.random_state = random_state
        self._validate()
        self._check_consistent()

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        return (
            "Values were changed at random with known probabilities (PRAM). Any released value may"
            " be the original one, so this guarantees no k-anonymity."
        )

    @property
    def strata(self) -> list[str]:
        """The columns that split the records into strata."""
        return [] if self.within is None else as_list(self.within)

    @property
    def recoded_columns(self) -> list[str]:
        """The columns whose release may contain categories that the original lacks."""
        return self.columns if self.matrix is not None and not self.invariant else []

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``, with the transitions."""
        del confidential, types
        rng = np.random.default_rng(self.random_state)
        stratum_columns = [read_categories(frame, name) for name in self.strata]
        strata = split_strata(frame, self.strata).rows
        values: dict[str, Any] = {}
        transitions: list[Transitions] = []
        for block in self._blocks:
            original = [read_categories(frame, name) for name in block]
            uniform_numbers = rng.random(len(frame))
            new_values = _NewValues(original)
            for rows in strata:
                for records in _split_by_missing_cells(original, rows):
                    stratum = _category_of(stratum_columns, rows[0])
                    transition, new_codes = self._randomise(
                        block, stratum, original, records, uniform_numbers[records]
                    )
                    new_values.set_values(records, transition.released, new_codes)
                    transitions.append(transition)
            for i, name in enumerate(block):
                values[name] = released_column(frame, name, original[i], new_values.categories(i))
        return StepResult(
            values,
            warnings=tuple(_randomisation_warning(block, transitions) for block in self._blocks),
            transitions=tuple(transitions),
        )

    @property
    def _blocks(self) -> list[list[str]]:
        """The columns that change together."""
        return [self.columns] if self.joint else [[name] for name in self.columns]

    def _randomise(
        self,
        block: Sequence[str],
        stratum: Category,
        original: Sequence[Categories],
        rows: Codes,
        uniform_numbers: Vector,
    ) -> tuple[Transitions, Codes]:
        """Return the transitions of records that lack the same cells, and their new codes.

        ``uniform_numbers`` are random numbers in [0, 1), one for each of the records. The codes are
        positions in the released categories of the transitions.
        """
        joint_codes = _joint_codes(original, rows)
        _, first_positions, codes = np.unique(joint_codes, return_index=True, return_inverse=True)
        codes = codes.ravel()
        categories = [_category_of(original, rows[i]) for i in first_positions]
        if len(categories) > MAX_CATEGORIES:
            verb = "has" if len(block) == 1 else "have"
            raise InputError(
                f"{name_columns(block)} {verb} {len(categories):,} categories, but a PRAM matrix"
                f" can have at most {MAX_CATEGORIES:,}. Recode the columns first, or use strata.",
                code="too-many-categories",
                columns=tuple(block),
                count=len(categories),
            )
        counts = np.bincount(codes)
        matrix, released = self._first_stage(block, categories, counts)
        if self.invariant:
            matrix, released = invariant_matrix(matrix, counts), categories
        new_codes = draw_categories(matrix, codes, uniform_numbers)
        pairs = codes * len(released) + new_codes
        pair_counts = np.bincount(pairs, minlength=matrix.size).reshape(matrix.shape)
        transition = Transitions(list(block), stratum, categories, released, matrix, pair_counts)
        return transition, new_codes

    def _first_stage(
        self, block: Sequence[str], categories: list[Category], counts: Codes
    ) -> tuple[Matrix, list[Category]]:
        """Return the matrix of the first stage, and the categories that its columns stand for."""
        if self.stay is not None:
            return uniform_matrix(len(categories), self.stay), categories
        entry = self.matrix if self.joint else self.matrix[block[0]]
        category_tuples = [
            tuple(category) if isinstance(category, list) else (category,)
            for category in entry["categories"]
        ]
        row_of_category = {category: i for i, category in enumerate(category_tuples)}
        is_unknown = np.array([category not in row_of_category for category in categories], bool)
        if is_unknown.any():
            n_unknown = int(counts[is_unknown].sum())
            verb = "has" if len(block) == 1 else "have"
            raise InputError(
                f"{name_columns(block)} {verb} values or missing cells in"
                f" {count(n_unknown, 'record')} for which the matrix has no row. Add the categories"
                " to the matrix.",
                code="value-outside-matrix",
                columns=tuple(block),
                count=n_unknown,
            )
        rows = np.array(entry["rows"], np.float64)[
            [row_of_category[category] for category in categories]
        ]
        return rows / rows.sum(axis=1, keepdims=True), category_tuples

    def _check_consistent(self) -> None:
        """Refuse options that do not fit together, and convert the matrices to plain data."""
        if (self.stay is None) == (self.matrix is None):
            raise PlanError(
                "Give either `stay`, the probability that a value is kept, or `matrix`.",
                code="pram-matrix",
            )
        if self.stay == 1:
            raise PlanError(
                "With `stay=1` nothing changes. Choose a smaller value.",
                code="pram-nothing-changes",
            )
        check_strata(self.strata, self.columns)
        if self.matrix is None:
            return
        if self.joint:
            self.matrix = to_plain_matrix(self.matrix, "the joint columns")
            widths = {
                len(category) if isinstance(category, list) else 1
                for category in self.matrix["categories"]
            }
            if widths != {len(self.columns)}:
                raise PlanError(
                    "Each category of a joint matrix must be a list with a value for every column.",
                    code="matrix-malformed",
                )
            return
        if set(self.matrix) != set(self.columns):
            raise PlanError(
                "`matrix` must name each masked column once, with a matrix for it.",
                code="pram-matrix",
            )
        self.matrix = {
            name: to_plain_matrix(self.matrix[name], f"column {name!r}") for name in self.columns
        }


class _NewValues:
    """The new values of the columns of a block, which are set for one set of records at a time."""

    def __init__(self, original: Sequence[Categories]):
        self.codes = np.full((len(original[0].codes), len(original)), -1, np.int64)
        self.codes_by_text = [
            {text: i for i, text in enumerate(categories.texts)} for categories in original
        ]

    def set_values(self, rows: Codes, released: Sequence[Category], new_codes: Codes) -> None:
        """Set the values of ``rows``, given the position of each one's category in ``released``."""
        for column, code_of_text in enumerate(self.codes_by_text):
            texts = [category[column] for category in released]
            released_codes = [
                -1 if text is None else code_of_text.setdefault(text, len(code_of_text))
                for text in texts
            ]
            self.codes[rows, column] = np.array(released_codes)[new_codes]

    def categories(self, column: int) -> Categories:
        """Return the new values of one column."""
        return as_categories(list(self.codes_by_text[column]), self.codes[:, column])


def _split_by_missing_cells(original: Sequence[Categories], rows: Codes) -> Iterator[Codes]:
    """Yield the records of each pattern of missing cells, except those that lack all cells."""
    pattern_of_record = np.zeros(len(rows), np.int64)
    for column in original:
        pattern_of_record = 2 * pattern_of_record + (column.codes[rows] < 0)
    for pattern in np.unique(pattern_of_record):
        if pattern != 2 ** len(original) - 1:
            yield rows[pattern_of_record == pattern]


def _joint_codes(original: Sequence[Categories], rows: Codes) -> Codes:
    """Return a code for each combination of values, in the order of the values."""
    joint_codes = original[0].codes[rows]
    for column in original[1:]:
        renumbered = np.unique(joint_codes, return_inverse=True)[1].ravel() * (
            len(column.texts) + 1
        )
        joint_codes = renumbered + column.codes[rows] + 1
    return joint_codes


def _category_of(original: Sequence[Categories], record: int) -> Category:
    """Return the values of a record, with None for a missing value."""
    codes = [column.codes[record] for column in original]
    return tuple(
        None if code < 0 else column.texts[code]
        for column, code in zip(original, codes, strict=True)
    )


def _randomisation_warning(
    block: Sequence[str], transitions: Sequence[Transitions]
) -> ValuesRandomised:
    """Return the warning that states which share of the values of a block was changed."""
    block_transitions = [
        transition for transition in transitions if list(transition.columns) == list(block)
    ]
    n_records = sum(int(transition.counts.sum()) for transition in block_transitions)
    n_unchanged = sum(transition.n_unchanged for transition in block_transitions)
    expected_unchanged = sum(
        float(transition.frequencies @ transition.stay_probabilities)
        for transition in block_transitions
    )
    probabilities = (
        np.concatenate([transition.stay_probabilities for transition in block_transitions])
        if block_transitions
        else np.ones(1)  # no record has a value
    )
    percent_changed = 100 * (1 - n_unchanged / n_records) if n_records else 0.0
    percent_expected = 100 * (1 - expected_unchanged / n_records) if n_records else 0.0
    noun = "combinations of values" if len(block) > 1 else "values"
    return ValuesRandomised(
        f"{name_columns(block)}: {percent_changed:.3g} % of the {noun} were changed at random,"
        f" {percent_expected:.3g} % were expected. A value is kept with a probability of"
        f" {probabilities.min():.3g} to {probabilities.max():.3g}, depending on its category.",
        code="values-randomised",
        columns=tuple(block),
        changed=percent_changed,
        expected=percent_expected,
    )
