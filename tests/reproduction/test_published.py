"""What was entered from the papers is consistent with itself, so typing errors die here."""

import pytest

from reproduction import cv_mdav, two_mu_approx
from reproduction.mu_approx import example, losses, optimum
from reproduction.ward_mwa import published as ward


def rows(cells):
    return list(dict.fromkeys(row for row, _ in cells))


@pytest.mark.parametrize("cells", [optimum.TABLE_6, optimum.TABLE_7, optimum.TABLE_8])
@pytest.mark.parametrize("method", ["μ-Approx", "MDAV"])
def test_gaps_follow_from_the_sums_of_squares(cells, method):
    for row in rows(cells):
        best, loss = float(cells[row, "optimal"]), float(cells[row, method])
        # Table 6 averages five tables, and so do its gaps of averages.
        assert float(cells[row, f"gap({method})"]) == pytest.approx(loss / best - 1, abs=2e-4)


def test_ratios_follow_from_the_sums_of_squares():
    cells = two_mu_approx.TABLE_2
    for row in rows(cells):
        ratio = float(cells[row, "optimal"]) / float(cells[row, "2-μ-Approx"])
        assert float(cells[row, "ratio"]) == pytest.approx(ratio, abs=1e-4)


@pytest.mark.parametrize(("name", "sst"), [("Tarragona", 13 * 834), ("EIA-600", 5541.4688)])
def test_losses_follow_from_the_sums_of_squares(name, sst):
    cells = two_mu_approx.TABLE_1
    for method in two_mu_approx.METHODS:
        row = f"{name}, {method}"
        share = 100 * float(cells[row, "SSE"]) / sst
        assert float(cells[row, "L_SSE"]) == pytest.approx(share, rel=1e-5)


@pytest.mark.parametrize(
    "cells",
    [cv_mdav.TABLE_1, cv_mdav.TABLE_2, ward.TABLE_1, losses.TABLE_5],
)
def test_losses_grow_with_k(cells):
    columns = list(dict.fromkeys(column for _, column in cells))
    for row in rows(cells):
        printed = [float(cells[row, c]) for c in columns if cells[row, c] != "-"]
        assert printed == sorted(printed)


def test_changes_of_weights_follow_from_the_weights():
    for (row, method), change in ward.TABLE_3_CHANGES.items():
        original, masked = float(ward.TABLE_3[row, "original"]), float(ward.TABLE_3[row, method])
        assert float(change) == pytest.approx(
            100 * (masked / original - 1), abs=200 * 0.01 / abs(original)
        )


def test_standard_deviations_follow_from_the_losses():
    """The variances that are left, and the loss, make up the whole."""
    for method, loss in {"FS_FPC": 23.87, "FS_SZ": 28.92, "FS_I": 2.24, "MWA_SZ": 19.16}.items():
        variances = [float(cell) ** 2 for (_, name), cell in ward.TABLE_2.items() if name == method]
        assert 100 * (1 - sum(variances) / 13) == pytest.approx(loss, abs=0.7)


@pytest.mark.parametrize("cells", [example.TABLE_3, example.TABLE_4])
def test_records_of_a_group_look_alike(cells):
    pairs = [(cells[row, "surface"], cells[row, "employees"]) for row in rows(cells)]
    assert len(pairs) == 11
    assert sorted(pairs.count(pair) for pair in set(pairs)) in ([3, 4, 4], [3, 3, 5])
