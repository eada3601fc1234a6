"""The gap between a loss and its proven lower bound."""

import numpy as np
import pytest

from raising import raises
from shoal.errors import InputError, ParameterError
from shoal.metrics import certified_gap

# Variance 5: the four moves of 1 make an SSE of 4/5 on standardised values.
TABLE = np.array([[0.0], [2.0], [4.0], [6.0]])
MEANS = np.array([[1.0], [1.0], [5.0], [5.0]])


def test_the_gap_is_the_loss_above_the_bound():
    assert certified_gap(TABLE, MEANS, 0.8) == pytest.approx(0)
    assert certified_gap(TABLE, MEANS, 0.4) == pytest.approx(1)
    assert certified_gap(TABLE * 1e200, MEANS * 1e200, 0.64) == pytest.approx(0.25)


def test_a_loss_equal_to_its_bound_but_for_rounding_has_no_gap():
    assert certified_gap(TABLE, MEANS, 0.8 * (1 + 1e-12)) == 0


def test_no_loss_has_no_gap():
    assert certified_gap(TABLE, TABLE, 0.0) == 0


@pytest.mark.parametrize("bound", [-1.0, np.nan, np.inf])
def test_an_invalid_bound_is_refused(bound):
    with raises(ParameterError, "parameter-not-accepted", parameter="lower_bound"):
        certified_gap(TABLE, MEANS, bound)


def test_a_bound_of_zero_certifies_nothing():
    with raises(InputError, "bound-of-zero"):
        certified_gap(TABLE, MEANS, 0)


def test_a_bound_above_the_loss_is_refused():
    with raises(InputError, "bound-too-great"):
        certified_gap(TABLE, MEANS, 0.9)
