"""Sentences of reports on tables in which a person has several records."""

import re

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.report.html import render, report_figures
from shoal.report.summary import summarise

KNOWN = ["year", "height"]
OPTIONS = {"k": 3, "method": "mdav", "confidential": ["ill"], "shuffle": True, "random_state": 1}


@pytest.fixture(scope="module")
def visits():
    """12 persons; every third has six visits, the others two; all have one diagnosis in common."""
    rng = np.random.default_rng(3)
    persons = pd.DataFrame({"year": 1950 + 5 * np.arange(12), "height": rng.permutation(12) + 160})
    visits = [6 if number % 3 == 0 else 2 for number in range(12)]
    table = persons.loc[np.repeat(np.arange(12), visits)].reset_index(names="person")
    first = ~table["person"].duplicated()
    ill = np.where(first, "flu", rng.choice(list("abc"), len(table)))
    return table.assign(ill=ill)


@pytest.fixture(scope="module")
def release(visits):
    with pytest.warns(shoal.errors.HomogeneousGroup):
        return shoal.microaggregate(visits, KNOWN, unit="person", **OPTIONS)


def classes(release, visits):
    """The released records with their persons, grouped by the released quasi-identifiers."""
    persons = visits["person"].to_numpy()[release.rows]
    return release.data.assign(person=persons).groupby(KNOWN)


def test_the_ceiling_is_the_largest_share_of_one_person(release, visits):
    share = classes(release, visits)["person"].value_counts(normalize=True).max()
    assert share > 1 / 3
    summary = summarise(release)
    assert summary["chance_ceiling"] == pytest.approx(share, abs=1e-3)
    assert f"at most {100 * share:.3g} %" in summary["explanation"]
    assert "1 in 3" not in summary["explanation"]
    page = render(summary)
    assert "For a single record" not in page
    assert "the right one is 1 in n" not in page


def test_both_ends_of_the_map_are_counted_in_persons(release, visits):
    (map_figure,) = [
        figure
        for figure in report_figures(summarise(release)).protection_and_loss
        if figure.title == "Loss against risk"
    ]
    before, after = (
        100 * (1 / data.groupby(KNOWN)["person"].transform("nunique")).mean()
        for data in (visits, classes(release, visits).obj)
    )
    assert before == 100  # every person has values of their own
    stated = [float(number) for number in re.findall(r"([\d.]+) % in the", map_figure.description)]
    assert stated == pytest.approx([before, after], abs=0.06)
    assert "unit" in map_figure.description


def test_a_value_that_persons_have_among_others_is_not_known_for_sure(release, visits):
    assert (classes(release, visits)["ill"].nunique() > 1).all()
    assert release.measures["homogeneous_classes"]["ill"] > 0  # every person there has it once
    can = summarise(release)["attacker"]["can"]
    assert not any(entry.startswith("Learn the") for entry in can)
    number = release.measures["homogeneous_classes"]["ill"]
    assert any(
        entry.startswith(f"Learn a value of ill that every unit in {number} of") for entry in can
    )


def test_shared_values_are_counted_in_persons_by_verdict_measure_and_report(visits):
    ill = np.where(visits["year"] < 1985, "flu", visits["ill"])
    with pytest.warns(shoal.errors.HomogeneousGroup):
        release = shoal.microaggregate(visits.assign(ill=ill), KNOWN, unit="person", **OPTIONS)
    (finding,) = [f for f in release.verdict.findings if f.code == "homogeneous-group"]
    groups = classes(release, visits)
    number = sum(
        bool(
            set.intersection(
                *(set(of_person) for _, of_person in class_records.groupby("person")["ill"])
            )
        )
        for _, class_records in groups
    )
    single = int((groups["ill"].nunique() == 1).sum())
    assert 0 < single < number
    assert release.measures["homogeneous_classes"] == {"ill": number}
    assert finding.figures["homogeneous"] == {"ill": number}
    assert finding.figures["in_every_record"] == {"ill": single}
    assert f"'ill' in {number} classes (in {number - single} some records" in finding.sentence
    assert finding.sentence.endswith("the value in at least one record.")
    can = summarise(release)["attacker"]["can"]
    assert any(f"Learn the ill of every person in {single} of {len(groups)}" in e for e in can)
    assert any(f"every unit in {number - single} of {len(groups)} classes has" in e for e in can)


def test_without_units_the_ceiling_is_one_in_k(visits):
    single = visits.drop_duplicates("person", ignore_index=True).assign(ill=list("abcabcabcabc"))
    release = shoal.microaggregate(single, KNOWN, identifiers=["person"], **OPTIONS)
    summary = summarise(release)
    smallest = release.verdict.k
    assert summary["chance_ceiling"] == pytest.approx(1 / smallest, abs=1e-3)
    assert f"at most 1 in {smallest}" in summary["explanation"]
