"""Individual, household, log-linear risk and population uniqueness of samples."""

import json
from itertools import product
from math import comb, lgamma, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from raising import raises
from shoal.cli import app
from shoal.errors import InputError, ParameterError
from shoal.metrics.survey import survey_risk
from shoal.metrics.survey.individual_risk import household_risk, individual_risk, key_frequencies
from shoal.metrics.survey.log_linear import iterative_proportional_fitting, log_linear_risk
from shoal.metrics.survey.population_uniqueness import population_uniqueness

# Table 4.1 of "Statistical Disclosure Control: A Practice Guide" by Benschop, Machingauta and
# Welch: sample frequency, population frequency and individual risk of ten respondents.
PUBLISHED = [
    (2, 360, 0.0054), (2, 360, 0.0054), (1, 215, 0.0251), (2, 152, 0.0126), (1, 186, 0.0282),
    (2, 152, 0.0126), (1, 180, 0.0290), (1, 215, 0.0251), (2, 262, 0.0074), (2, 262, 0.0074),
]  # fmt: skip


def mean_of_reciprocal(f, p):
    """Return the mean of 1/F by summing the negative binomial distribution."""
    chance, total, h = p**f, 0.0, f
    reached = 0.0
    while reached < 1 - 1e-13 and h < 200_000:
        total += chance / h
        reached += chance
        chance *= h / (h + 1 - f) * (1 - p)
        h += 1
    return total


def test_individual_risk_is_that_of_the_practice_guide():
    f, population, expected = map(np.array, zip(*PUBLISHED, strict=True))
    risk = individual_risk(f, population.astype(float))
    assert risk.tolist() == pytest.approx(expected.tolist(), abs=5.1e-5)


@given(f=st.integers(1, 90), p=st.floats(0.02, 1))
def test_individual_risk_is_the_mean_of_the_reciprocal(f, p):
    risk = individual_risk(np.array([f]), np.array([f / p]))
    assert risk[0] == pytest.approx(mean_of_reciprocal(f, min(1.0, f / (f / p))), rel=1e-8)


def test_small_frequencies_have_their_closed_forms():
    p = np.array([0.001, 0.1, 0.49, 0.51, 0.9])
    odds, logs = p / (1 - p), np.log(1 / p)
    closed = [odds * logs, odds * (1 - odds * logs), odds / 2 * (1 - 2 * odds + 2 * odds**2 * logs)]
    for f, expected in enumerate(closed, 1):
        risk = individual_risk(np.full(5, f), f / p)
        assert risk.tolist() == pytest.approx(expected.tolist(), rel=1e-9)


def test_a_record_of_a_census_has_the_risk_of_its_class():
    f = np.array([1, 2, 50, 1000])
    assert individual_risk(f, f.astype(float)).tolist() == pytest.approx((1 / f).tolist())


def test_frequencies_are_counted_and_estimated():
    keys = np.array([[1, 1], [1, 1], [2, 1]])
    frequencies = key_frequencies(keys, np.array([3.0, 4.0, 5.0]))
    assert frequencies.sample.tolist() == [2, 2, 1]
    assert frequencies.population.tolist() == [7, 7, 5]
    assert (frequencies.k_map, frequencies.below(6)) == (5, 1)
    everyone = np.array([[1, 1]] * 4 + [[2, 1]] * 2 + [[9, 9]])
    counted = key_frequencies(keys, population=everyone)
    assert counted.population.tolist() == [4, 4, 2]
    with raises(InputError, "not-in-population", count=1):
        key_frequencies(keys, population=everyone[:4])


def test_a_household_is_at_risk_if_any_member_is():
    risk = household_risk(np.array([0.1, 0.2, 1.0, 0.5, 0.3]), np.array([0, 0, 1, 1, 2]))
    assert risk.tolist() == pytest.approx([0.28, 0.28, 1, 1, 0.3])


def test_main_effects_fit_independent_frequencies():
    rng = np.random.default_rng(1)
    keys = np.column_stack([rng.integers(0, 4, 60), rng.integers(0, 5, 60), rng.integers(0, 3, 60)])
    result = log_linear_risk(keys, 0.2)
    for at, record in enumerate(result.records):
        row = keys[record]
        assert (keys == row).all(axis=1).sum() == 1
        fitted = 60 * np.prod([(keys[:, c] == row[c]).mean() for c in range(3)])
        mean = fitted / 0.2 * 0.8
        assert result.unique[at] == pytest.approx(np.exp(-mean))
        assert result.match[at] == pytest.approx((1 - np.exp(-mean)) / mean)


def test_two_way_fit_has_all_two_way_margins_and_no_more():
    rng = np.random.default_rng(2)
    observed = rng.poisson(3.0, (3, 4, 2)).astype(float) + 1
    fitted = iterative_proportional_fitting(observed)
    for axis in range(3):
        assert np.allclose(fitted.sum(axis=axis), observed.sum(axis=axis), atol=1e-5)
    logs = np.log(fitted)  # the three-way interaction of every 2 x 2 x 2 part vanishes
    for a, b in product(range(2), range(3)):
        part = logs[a : a + 2, b : b + 2]
        contrast = (part[0] - part[1])[0] - (part[0] - part[1])[1]
        assert contrast[0] == pytest.approx(contrast[1], abs=1e-6)


def sample_of(population_sizes, fraction, seed):
    """Return the class sizes of a random sample of classes of a population."""
    rng = np.random.default_rng(seed)
    return np.array([s for s in rng.binomial(population_sizes, fraction) if s > 0])


def test_log_linear_risk_estimates_what_is_counted_in_the_population():
    rng = np.random.default_rng(3)
    columns = [rng.choice(m, 40_000, p=rng.dirichlet(np.full(m, 2.0))) for m in (12, 9, 10, 5)]
    population = np.column_stack(columns)
    drawn = rng.random(len(population)) < 0.1
    keys = population[drawn]
    result = log_linear_risk(keys, 0.1)
    counts = key_frequencies(keys, population=population).population[result.records]
    assert result.population_uniques == pytest.approx((counts == 1).sum(), rel=0.25)
    assert result.correct_matches == pytest.approx((1 / counts).sum(), rel=0.15)


def test_shifted_negative_binomial_is_recovered():
    rng = np.random.default_rng(4)
    sizes = 1 + rng.negative_binomial(1.5, 0.3, 40_000)
    result = population_uniqueness(sample_of(sizes, 0.3, 5), 0.3)
    assert result.snb == pytest.approx((sizes == 1).sum() / sizes.sum(), rel=0.1)


def test_zayatz_is_bayes_rule_with_hypergeometric_chances():
    sizes = np.repeat([1, 2, 4], [7, 3, 1])
    n, population = 17, 68
    chance = {j: comb(j, 1) * comb(population - j, n - 1) / comb(population, n) for j in (1, 2, 4)}
    first = 7 * chance[1] / (7 * chance[1] + 3 * chance[2] + chance[4])
    result = population_uniqueness(sizes, 0.25)
    assert result.zayatz == pytest.approx(first * 7 / n)


def pitman_likelihood(theta, alpha, sizes):
    n, u = sizes.sum(), len(sizes)
    value = sum(log(theta + i * alpha) for i in range(1, u))
    value -= lgamma(theta + n) - lgamma(theta + 1)
    return value + sum(lgamma(s - alpha) - lgamma(1 - alpha) for s in sizes)


def test_pitman_parameters_maximise_the_likelihood():
    from shoal.metrics.survey.population_uniqueness import _maximise_likelihood

    rng = np.random.default_rng(6)
    sizes = sample_of(rng.zipf(1.7, 3000).clip(max=500), 0.1, 7)
    counts = np.bincount(sizes)
    parameters = _maximise_likelihood(50.0, 0.5, counts, int(sizes.sum()), len(sizes))
    assert parameters is not None
    best = pitman_likelihood(*parameters, sizes)
    for theta, alpha in [(1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99), (1.02, 0.99)]:
        assert pitman_likelihood(parameters[0] * theta, parameters[1] * alpha, sizes) < best


def test_pitman_estimates_a_population_of_its_own_kind():
    """The two-parameter Chinese restaurant process draws from the Pitman model."""
    rng = np.random.default_rng(8)
    theta, alpha, n = 200.0, 0.4, 40_000
    labels, sizes = np.empty(n, np.int64), []
    for i in range(n):
        if rng.random() < (theta + len(sizes) * alpha) / (theta + i):
            labels[i] = len(sizes)
            sizes.append(1)
        else:  # an earlier unit's class, less the discount
            while True:
                label = labels[rng.integers(i)]
                if rng.random() > alpha / sizes[label]:
                    break
            labels[i] = label
            sizes[label] += 1
    truth = sum(size == 1 for size in sizes) / n
    drawn = np.bincount(labels[rng.random(n) < 0.1])
    result = population_uniqueness(drawn[drawn > 0], 0.1)
    assert result.chosen == "pitman"
    assert result.estimate == pytest.approx(truth, rel=0.3)


def test_pitman_is_the_model_of_ewens_where_classes_are_too_even():
    from shoal.metrics.survey.population_uniqueness import _fit_pitman

    rng = np.random.default_rng(10)
    sizes = sample_of(rng.poisson(30, 2000), 0.05, 11)
    theta, alpha = _fit_pitman(np.bincount(sizes), int(sizes.sum()), len(sizes))
    assert alpha == 0
    n = sizes.sum()
    assert (theta / (theta + np.arange(n))).sum() == pytest.approx(len(sizes))
    best = pitman_likelihood(theta, 1e-9, sizes)
    assert pitman_likelihood(theta, 0.01, sizes) < best
    assert pitman_likelihood(theta * 1.02, 1e-9, sizes) < best
    assert pitman_likelihood(theta * 0.98, 1e-9, sizes) < best


def test_the_rule_chooses_the_smaller_estimate_of_large_samples():
    result = population_uniqueness(np.repeat([1, 2, 3], [60, 20, 10]), 0.5)
    candidates = [value for value in (result.zayatz, result.snb) if not np.isnan(value)]
    assert result.estimate == min(candidates)
    none = population_uniqueness(np.array([2, 2, 3]), 0.05)
    assert none.estimate == 0


def people():
    rng = np.random.default_rng(9)
    return pd.DataFrame(
        {
            "age": rng.integers(0, 8, 300),
            "region": rng.choice(list("abcde"), 300),
            "job": pd.Series(rng.choice(list("uvwxyz"), 300)).where(rng.random(300) > 0.05),
            "house": np.arange(300) // 3,
            "w": rng.uniform(5, 60, 300),
        }
    )


def test_all_risks_of_a_sample_are_returned():
    result = survey_risk(
        people(), quasi_identifiers=["age", "region", "job"], weight="w", household="house"
    )
    content = result.to_dict()
    assert content["expected_reidentifications"] == pytest.approx(result.risk.sum())
    assert content["reidentification_rate"] == pytest.approx(result.risk.mean())
    households = content["expected_reidentifications_with_households"]
    assert result.risk.sum() < households < 3 * result.risk.sum()
    assert set(content["log_linear"]) == {"main", "two-way"}
    assert content["suda"]["records_with_score"] <= content["sample_uniques"]
    assert all(len(column) == 300 for column in result.by_record().values())
    assert all(name.startswith("risk_") for name in result.by_record())
    assert not any(isinstance(value, np.ndarray) for value in content.values())


def test_a_known_population_is_counted_and_a_census_has_no_estimates():
    sample = people().iloc[:100]
    columns = ["age", "region"]
    result = survey_risk(sample, quasi_identifiers=columns, population=people())
    sizes = people().groupby(columns)["w"].transform("size").iloc[:100]
    assert (result.frequencies.population == sizes).all()
    assert result.risk.tolist() == pytest.approx((1 / sizes).tolist())
    assert result.sampling_fraction == pytest.approx(1 / 3)
    census = survey_risk(people(), quasi_identifiers=columns, population=people())
    assert census.uniqueness is None
    assert census.suda is None


def test_missing_information_is_refused():
    with raises(ParameterError, "population-needed"):
        survey_risk(people(), quasi_identifiers=["age"])
    with raises(InputError, "weights-unusable"):
        survey_risk(people().assign(w=0.5), quasi_identifiers=["age"], weight="w")


@pytest.mark.parametrize("fraction", [0, -0.1, 1.5, float("nan")])
@pytest.mark.parametrize("source", ["weight", "population", None])
def test_a_sampling_fraction_is_above_0_and_at_most_1(fraction, source):
    options = {"weight": {"weight": "w"}, "population": {"population": people()}, None: {}}
    with raises(ParameterError, "parameter-not-accepted", parameter="sampling_fraction"):
        survey_risk(
            people(), quasi_identifiers=["age"], sampling_fraction=fraction, **options[source]
        )


def test_the_command_line_shows_the_same_figures(tmp_path):
    people().to_csv(tmp_path / "sample.csv", index=False)
    words = ["risk", str(tmp_path / "sample.csv"), "-c", "age", "-c", "region", "--weight", "w"]
    shown = CliRunner().invoke(app, [*words, "--household", "house", "--json"])
    assert shown.exit_code == 0, shown.output
    result = survey_risk(
        people(), quasi_identifiers=["age", "region"], weight="w", household="house"
    )
    content, expected = json.loads(shown.stdout), result.to_dict()
    assert content["k_map"] == pytest.approx(expected["k_map"])
    assert content["suda"]["contributions"] == pytest.approx(expected["suda"]["contributions"])
    text = CliRunner().invoke(app, words).stdout
    shown = dict(line.rsplit("  ", 1) for line in text.splitlines()[1:])
    shown = {name.strip(): value.strip() for name, value in shown.items()}
    assert shown["expected re-identifications"] == f"{result.risk.sum():.4g}"
    assert shown["population uniqueness, model"] == result.uniqueness.chosen.capitalize()
    assert len({line.rindex("  ") for line in text.splitlines()[1:]}) == 1  # aligned
    assert CliRunner().invoke(app, words[:4]).exit_code == 2


def test_risks_of_single_records_are_written_on_request(tmp_path):
    source, target = tmp_path / "sample.csv", tmp_path / "risks.csv"
    people().to_csv(source, index=False)
    words = ["risk", str(source), "-c", "age", "-c", "job", "--weight", "w"]
    shown = CliRunner().invoke(app, [*words, "--records", str(target)])
    assert shown.exit_code == 0, shown.output
    assert str(target) in shown.stdout.replace("\n", "")
    assert target.stat().st_mode & 0o077 == 0  # only the owner can read it
    expected = survey_risk(people(), quasi_identifiers=["age", "job"], weight="w").by_record()
    written = pd.read_csv(target)
    assert list(written) == ["age", "job", *expected]
    for name, values in expected.items():
        assert written[name].tolist() == pytest.approx(values.tolist())
    assert CliRunner().invoke(app, [*words, "--records", str(target)]).exit_code != 0
    assert CliRunner().invoke(app, [*words, "--records", str(target), "--force"]).exit_code == 0


def test_risks_of_subgroups_are_those_of_their_records():
    table, keys = people(), ["age", "region", "job"]
    whole = survey_risk(table, quasi_identifiers=keys, weight="w")
    risks = survey_risk(table, quasi_identifiers=keys, weight="w", by="region")
    for region, rows in table.groupby("region").indices.items():
        expected = {
            "reidentification_rate": whole.risk[rows].mean(),
            "greatest_risk": whole.risk[rows].max(),
            "sample_uniques": (whole.frequencies.sample[rows] == 1).sum(),
            "k_map": whole.frequencies.population[rows].min(),
            "expected_reidentifications": whole.risk[rows].sum(),
        }
        at = [group.label for group in risks.groups.split.groups].index(f"region={region}")
        assert risks.groups.figures[at] == pytest.approx(expected)
    worst = pd.Series(whole.risk).groupby(table["region"]).mean().max()
    assert risks.figures()["reidentification_rate_worst_group"] == pytest.approx(worst)
    assert risks.figures()["k_map_worst_group"] == whole.frequencies.k_map
    assert "by region" in repr(risks)
    assert risks.to_dict()["groups"]["by"] == ["region"]
