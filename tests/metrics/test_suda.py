"""SUDA: published examples, and the search by all combinations."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import InputError, ParameterError
from shoal.metrics.survey.suda import dis_risk, suda
from twins.suda import minimal_uniques

# Residence, gender, education and labour status of ten respondents: table 4.5 of the guide
# "Statistical Disclosure Control: A Practice Guide" by Benschop, Machingauta and Welch.
RESPONDENTS = [
    "urban female secondary-incomplete employed",
    "urban female secondary-incomplete employed",
    "urban female primary-incomplete none",
    "urban male secondary-complete employed",
    "rural female secondary-complete unemployed",
    "urban male secondary-complete employed",
    "urban female primary-complete none",
    "urban male post-secondary unemployed",
    "urban female secondary-incomplete none",
    "urban female secondary-incomplete none",
]
TABLE = np.array([row.split() for row in RESPONDENTS])


def test_scores_are_those_of_the_practice_guide():
    result = suda(TABLE, max_size=3)
    assert result.scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    dis = suda(TABLE, scoring="supersets", sampling_fraction=0.01).dis_scores
    expected = [0, 0, 0.0051, 0, 0.0107, 0, 0.0051, 0.0088, 0, 0]
    assert dis.tolist() == pytest.approx(expected, abs=5e-5)


def test_contributions_are_those_of_the_first_example_of_sdcmicro():
    result = suda(np.array([[2, 0, 0], [1, 3, 6], [1, 0, 0]]))
    assert (100 * result.column_contributions).tolist() == [50, 37.5, 37.5]


tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0, 1, 2, None]), min_size=width, max_size=width),
        min_size=1,
        max_size=14,
    )
)


@given(rows=tables, largest=st.integers(1, 5))
def test_minimal_uniques_are_those_of_all_combinations(rows, largest):
    width = len(rows[0])
    largest = min(largest, width)
    keys = np.array([[-1 if cell is None else cell for cell in row] for row in rows])
    result = suda(keys, max_size=largest, missing=keys < 0)
    expected = minimal_uniques(rows, largest)
    sizes = np.bincount([len(s) for sets in expected for s in sets], minlength=width + 1)
    assert result.sizes.tolist() == sizes.tolist()

    def weight(size):
        stop = min(largest, width - 1)
        return factorial(width - size) / factorial(width - stop - 1) if size <= stop else 1

    for record, sets in enumerate(expected):
        assert result.scores[record] == sum(weight(len(one)) for one in sets)
        for column in range(width):
            of_column = sum(weight(len(one)) for one in sets if column in one)
            assert result.contributions[record, column] == of_column
    assert ((result.dis_scores > 0) == (result.scores > 0)).all() or result.dis == 0
    assert (result.dis_scores <= 1).all()


def test_dis_is_the_share_of_correct_matches_of_uniques():
    """In a population of pairs, half of the matches with a sample of one half are right."""
    assert dis_risk(0, 6, 0.1) == 0
    assert dis_risk(5, 0, 0.1) == 1
    rng = np.random.default_rng(0)
    population = np.repeat(np.arange(100_000), 2)
    sample = population[rng.random(len(population)) < 0.5]
    counts = np.bincount(sample)
    uniques, in_pairs = (counts == 1).sum(), 2 * (counts == 2).sum()
    assert dis_risk(int(uniques), int(in_pairs), 0.5) == pytest.approx(0.5, abs=0.01)


def test_wrong_arguments_are_refused():
    with raises(InputError, "matrix-not-accepted", need="keys"):
        suda(np.zeros((3, 0)))
    with raises(ParameterError, "parameter-not-accepted", parameter="max_size"):
        suda(TABLE, max_size=0)
    with raises(ParameterError, "parameter-not-accepted", parameter="sampling_fraction"):
        suda(TABLE, sampling_fraction=1)
