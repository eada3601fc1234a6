"""Attacks: known leaks are caught, ceilings hold, and slow versions agree."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import pandas as hpd
from typer.testing import CliRunner

import shoal
from raising import raises
from shoal._kernels.predicate_counts import AT_LEAST, AT_MOST, EQUAL, NO_CONDITION, count_matches
from shoal.cli import app
from shoal.errors import ColumnError, InputError, ParameterError
from shoal.metrics.attacks import wilson_interval
from shoal.metrics.attacks.inference import best_guesses
from shoal.metrics.attacks.probabilistic_linkage import expectation_maximisation
from shoal.metrics.attacks.run import DEFAULT_ATTACKS
from twins import attacks as twin

KNOWN = ["age", "height", "region"]
SECRET = ["income", "ill"]


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.normal(50, 15, n).round(1),
            "height": rng.normal(170, 9, n).round(1),
            "region": rng.choice(list("abcd"), n),
            "income": rng.lognormal(10, 0.8, n).round(2),
            "ill": rng.choice(["flu", "none", "gout", "cold"], n),
        }
    )


def grouped(frame, k, columns=("age", "height")):
    """Return the frame with groups of k or more records that share means, by order of age."""
    order = np.lexsort((frame["age"], frame["region"]))
    result = frame.copy()
    for _, rows in frame.iloc[order].groupby("region"):
        group = np.minimum(np.arange(len(rows)) // k, len(rows) // k - 1)
        for name in columns:
            means = rows[name].groupby(group).transform("mean")
            result.loc[rows.index, name] = means
    return result


def attack(before, after, **options):
    given = {"quasi_identifiers": KNOWN, "confidential": SECRET, "random_state": 3} | options
    return shoal.attack(before, after, **given)


@pytest.fixture(scope="module")
def original():
    return people(400)


@pytest.fixture(scope="module")
def control():
    return people(400, seed=1)


def test_every_attack_succeeds_on_the_original(original, control):
    attacks = attack(original, original, control=control)
    assert set(attacks.not_run) == {"reconstruction"}
    for name, result in attacks.items():
        if name == "linkability":
            assert result.rate > 0.5
        else:
            assert result.rate > 0.95, name
        assert result.interval[0] > result.baseline, name


def test_independent_records_are_not_linked_and_not_members(original, control):
    fake = people(400, seed=2)
    attacks = attack(original, fake, control=control, aligned=True)
    for name in ("linkage-distance", "linkage-rank", "linkage-probabilistic"):
        assert attacks[name].rate < 0.03
    low, high = attacks["membership"].interval
    assert low < 0.5 < high
    for name in ("inference:income", "inference:ill"):
        low, high = attacks[name].interval
        assert low <= attacks[name].baseline + 0.05
        assert attacks[name].rate < 0.5


def test_singling_out_and_linkage_succeed_on_an_unmasked_unique_column(original):
    before = original.assign(serial=np.random.default_rng(9).permutation(len(original)) + 0.5)
    after = grouped(original, 10).assign(serial=before["serial"])
    attacks = attack(before, after, quasi_identifiers=[*KNOWN, "serial"])
    assert attacks["singling-out-univariate"].interval[0] > 0.9
    assert attacks["linkage-distance"].interval[0] > 0.15
    assert attacks["linkage-rank"].interval[0] > 0.15
    assert attacks["linkage-probabilistic"].interval[0] > 0.9  # it weighs exact agreement
    masked = attack(original, grouped(original, 10))
    assert masked["singling-out-univariate"].rate < 0.1
    assert masked["linkage-distance"].rate <= 0.1


def test_singling_out_succeeds_on_a_unique_column_without_a_role(original):
    serial = np.arange(len(original)) + 0.5
    attacks = attack(original.assign(serial=serial), grouped(original, 10).assign(serial=serial))
    result = attacks["singling-out-all-columns"]
    assert "serial" in result.columns
    assert result.interval[0] > result.baseline + 0.5


def test_inference_succeeds_on_a_copied_confidential_column(original):
    """Here a quasi-identifier repeats the confidential column, so its class reveals the value."""
    code = original["ill"].map({"flu": 0, "none": 1, "gout": 2, "cold": 3}).astype(float)
    attacks = attack(
        original.assign(code=code),
        grouped(original, 10).assign(code=code),
        quasi_identifiers=["code"],
    )
    assert attacks["inference:ill"].rate == 1
    assert attacks["inference:ill"].baseline < 0.5
    assert attacks["inference:income"].rate < 0.2


def test_inference_succeeds_on_groups_with_their_own_value_whatever_k_is(original):
    after = grouped(original, 10)
    label = after.groupby(["age", "height", "region"]).ngroup()
    value = label.astype(str)
    attacks = attack(
        original.assign(ill=value),
        after.assign(ill=value),
        quasi_identifiers=["age", "region"],
    )
    assert attacks["inference:ill"].rate > 0.8
    assert attacks["linkage-distance"].rate <= 0.1


def test_an_insider_who_knows_all_others_reconstructs_the_value(original):
    rows = original.groupby("region").head(80)
    attacks = attack(rows, grouped(rows, 80), tolerance=1e-6)
    assert attacks["reconstruction"].rate == 1
    assert attacks["reconstruction"].baseline < 0.1
    noisy = grouped(rows, 80)
    noisy["age"] += 0.3  # every group mean is wrong
    noisy["height"] += 0.3
    assert attack(rows, noisy, tolerance=1e-6)["reconstruction"].rate == 0


@given(k=st.integers(2, 6), n=st.integers(12, 40), seed=st.integers(0, 10**6))
def test_no_linkage_exceeds_one_in_k(k, n, seed):
    rng = np.random.default_rng(seed)
    before = pd.DataFrame({"a": rng.integers(0, 5, n) * 1.0, "b": rng.integers(0, 4, n) * 1.0})
    before["c"] = rng.choice(list("xy"), n)
    group = np.minimum(np.arange(n) // k, n // k - 1)
    after = before.assign(
        a=before["a"].groupby(group).transform("mean"),
        b=before["b"].groupby(group).transform("max"),
        c=before["c"].groupby(group).transform("first"),
    )
    attacks = shoal.attack(
        before,
        after,
        quasi_identifiers=["a", "b", "c"],
        random_state=seed,
        aligned=True,  # groups of unlike records may look like another order
    )
    assert attacks.k >= k
    bounded = [result for result in attacks.results if result.ceiling is not None]
    assert {result.name.partition("-")[0] for result in bounded} == {"linkage", "linkability"}
    for result in bounded:
        assert result.rate <= result.ceiling + 1e-12
        assert result.ceiling == 1 / attacks.k
        assert not result.exceeds_ceiling


RELEASES = {
    "mdav": {"columns": ["age", "height"], "method": "mdav"},
    "vmdav, with a category": {"columns": KNOWN, "method": "vmdav"},
    "within regions": {"columns": ["age", "height"], "within": "region", "method": "mdav"},
    "with a unit": {"columns": ["age", "height"], "unit": "person", "method": "mdav"},
    "ranges": {"columns": KNOWN, "method": "mdav", "aggregate": "range"},
}


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_no_attack_on_a_release_exceeds_its_ceiling(name):
    """An attack above its ceiling means that the guarantee of the release does not hold."""
    options = dict(RELEASES[name])
    columns = options.pop("columns")
    table = people(300, seed=7).assign(person=np.arange(300) // 2)
    released = [*columns, "ill", "income", *({options.get("within")} - {None})]
    keep = [*released, *(["person"] if options.get("unit") else [])]
    release = shoal.microaggregate(table[keep], columns, k=4, confidential=SECRET, **options)
    attacks = attack(
        table, release.data, quasi_identifiers=columns, unit=options.get("unit"), n_attacks=300
    )
    assert attacks.k >= 4
    assert not attacks.exceeded
    for attempt in attacks.results:
        assert attempt.ceiling is None or attempt.rate <= attempt.ceiling + 1e-9
    assert "linkage-distance" in attacks


def test_control_records_take_the_most_frequent_label_of_recoded_values():
    before = pd.DataFrame({"a": [1, 1, 1, 2, 2, 3], "s": list("xxxyyz")})
    after = before.assign(a=["low", "low", "all", "high", "high", "high"])
    control = pd.DataFrame({"a": [1, 2, 9], "s": ["x", "y", "x"]})
    attacks = shoal.attack(
        before,
        after,
        quasi_identifiers=["a"],
        confidential=["s"],
        control=control,
        random_state=0,
        attacks=["inference"],
    )
    # The first record gets "low", the second "high"; the third has a value without a label.
    assert attacks["inference:s"].baseline == pytest.approx((1 + 1 + 1) / 3)
    assert attacks["inference:s"].rate == pytest.approx((3 + 2) / 6)


def test_an_attack_above_its_ceiling_is_named():
    from dataclasses import replace

    attacks = attack(people(60), grouped(people(60), 3))
    above = replace(attacks["linkage-distance"], ceiling=0.333, successes=20.0)
    assert above.interval[0] < above.ceiling < above.rate
    assert above.exceeds_ceiling  # however few attacks there are: no single chance may exceed it
    assert not replace(above, ceiling=1 / 3).exceeds_ceiling
    wrong = replace(attacks["linkage-distance"], ceiling=0.001, successes=30.0)
    assert wrong.exceeds_ceiling
    result = type(attacks)([wrong], {}, k=3, unit="record", seed=0)
    assert result.exceeded == ("linkage-distance",)
    assert not replace(wrong, ceiling=None).exceeds_ceiling


tables = hpd.data_frames(
    [
        hpd.column("a", elements=st.sampled_from([0.0, 1.0, 2.0, math.nan])),
        hpd.column("b", elements=st.sampled_from([0.0, 1.0, 5.0])),
        hpd.column("c", elements=st.sampled_from(["x", "y", "z"])),
        hpd.column("s", elements=st.sampled_from(["x", "y", "z"])),
    ],
    index=hpd.range_indexes(min_size=2, max_size=12),
)


@given(both=st.tuples(tables, tables))
def test_fast_attacks_agree_with_the_slow_ones(both):
    n = min(map(len, both))
    before, after = (table.iloc[:n].reset_index(drop=True) for table in both)
    for name in ("c", "s"):  # new labels would be taken as recoded
        after.loc[~after[name].isin(set(before[name])), name] = before[name][0]
    attacks = shoal.attack(
        before,
        after,
        quasi_identifiers=["a", "b", "c"],
        confidential=["s"],
        halves=(["a", "c"], ["b"]),
        aligned=True,
        random_state=0,
        attacks=["linkage-distance", "linkability", "inference"],
    )
    rows = [table.to_dict("records") for table in (after, before)]
    names, numbers = ["a", "b", "c"], ["a", "b"]
    assert attacks["linkage-distance"].rate == pytest.approx(twin.linkage(*rows, names, numbers))
    halves = (["a", "c"], ["b"])
    assert attacks["linkability"].rate == pytest.approx(twin.linkability(*rows, halves, numbers))
    inferred = twin.inference(*rows, names, numbers, "s")
    assert attacks["inference:s"].rate == pytest.approx(inferred)


@given(
    table=st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.0, math.nan]), min_size=2, max_size=2), max_size=9
    ),
    conditions=st.lists(
        st.tuples(
            st.sampled_from([0, 1]),
            st.sampled_from([EQUAL, AT_MOST, AT_LEAST]),
            st.sampled_from([0.0, 1.0, 2.0, math.nan]),
        ),
        min_size=1,
        max_size=3,
    ),
    limit=st.integers(1, 4),
)
def test_matches_of_a_predicate_are_counted(table, conditions, limit):
    def holds(cell, operator, value):
        if operator == EQUAL:
            return cell == value or (math.isnan(cell) and math.isnan(value))
        return cell <= value if operator == AT_MOST else cell >= value

    expected = sum(all(holds(row[c], o, v) for c, o, v in conditions) for row in table)
    columns, operators, values = zip(*conditions, strict=True)
    counts = np.full(2, -9)
    count_matches(
        np.asfortranarray(np.array(table, np.float64).reshape(len(table), 2)),
        np.array([[*columns, NO_CONDITION], [NO_CONDITION] * (len(columns) + 1)]),
        np.array([[*operators, EQUAL]] * 2),
        np.array([[*values, 0.0]] * 2, np.float64),
        limit,
        counts,
    )
    assert counts.tolist() == [min(expected, limit), min(len(table), limit)]


def test_wilson_interval_has_the_known_values():
    assert wilson_interval(0, 10) == pytest.approx((0, 0.2775), abs=5e-5)
    assert wilson_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=5e-5)
    assert wilson_interval(10, 10) == pytest.approx((0.7225, 1), abs=5e-5)
    assert wilson_interval(0, 0) == (0, 1)


def test_the_same_seed_gives_the_same_result_on_any_number_of_threads(original, control):
    one, same, other = (
        attack(original, grouped(original, 4), control=control, n_attacks=50, **options)
        for options in ({"n_jobs": 1}, {"n_jobs": 3}, {"random_state": 4})
    )
    assert one.to_dict() == same.to_dict()
    assert one.to_dict() != other.to_dict()
    assert one["linkage-distance"].trials == 50


def test_an_attack_does_not_depend_on_which_others_are_carried_out(original):
    after = grouped(original, 4)
    whole = attack(original, after)
    for name in DEFAULT_ATTACKS:
        alone = attack(original, after, attacks=[name])
        for result in alone.results:
            assert result == whole[result.name]


def test_a_longer_control_table_is_cut_to_the_length_of_the_original(original):
    """Every record is three times in the control table, so it is unique only in a part of it."""
    name = "singling-out-multivariate"
    thrice = pd.concat([original] * 3)
    longer = attack(original, original, control=thrice, attacks=[name])
    assert 0.3 < longer[name].baseline < 0.6
    assert not longer.remarks
    shorter = attack(original, original, control=original.iloc[:200], attacks=[name])
    assert any("200" in remark for remark in shorter.remarks)


def test_a_sample_of_targets_estimates_the_rate_of_all(original):
    after = grouped(original, 3)
    everyone = attack(original, after)["linkage-distance"].rate
    low, high = attack(original, after, n_attacks=150)["linkage-distance"].interval
    assert low < everyone < high


def test_recoded_values_are_matched_by_their_labels(original):
    before = original.assign(age=original["age"].round().astype(int))
    label = (before["age"] // 20 * 20).map(lambda low: f"{low}-{low + 19}")
    attacks = attack(before, before.assign(age=label), quasi_identifiers=["age"])
    sizes = label.map(label.value_counts())
    assert attacks["linkage-distance"].rate == pytest.approx((1 / sizes).mean())
    assert any("age" in remark for remark in attacks.remarks)
    shuffled = attack(before, before.assign(age=label), aligned=False)
    assert "age" not in shuffled["singling-out-multivariate"].columns


def test_records_in_another_order_are_attacked_without_linkage(original):
    attacks = attack(original, grouped(original, 4).sample(frac=1, random_state=0), aligned=False)
    assert {"linkage-distance", "linkage-rank", "reconstruction"} <= set(attacks.not_run)
    assert attacks["inference:ill"].trials == len(original)
    shorter = attack(original, grouped(original, 4).iloc[:-1])
    assert "linkage-distance" in shorter.not_run


def test_links_to_any_record_of_a_unit_are_right():
    before = pd.DataFrame({"a": [0.0, 0, 0, 0, 1, 1, 1, 1], "p": list("uuuvwxyz")})
    after = before.drop(columns="p")
    attacks = shoal.attack(before, after, quasi_identifiers=["a"], unit="p", random_state=0)
    result = attacks["linkage-distance"]
    assert attacks.k == 2
    assert repr(attacks).splitlines()[0] == (
        "k = 2, counted in distinct values of 'p'; rates in per cent"
    )
    assert result.rate == pytest.approx((3 * 3 / 4 + 1 / 4 + 4 / 4) / 8)
    assert result.ceiling == 0.75
    assert result.rate <= result.ceiling


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1, 3])
def test_rank_and_probabilistic_linkage_agree_with_the_slow_ones(seed, size):
    """Units of three records have several right links, some of them in one class."""
    before = people(45, seed)[["age", "height", "region"]].assign(person=np.arange(45) // size)
    after = before.drop(columns="person").assign(
        age=before["age"] + np.random.default_rng(seed).normal(0, 6, 45).round(1),
        height=before["height"].where(before["region"] == "a", 170.0),
    )
    after.loc[1::9] = after.iloc[0].tolist()
    attacks = attack(before, after, unit="person", confidential=[], aligned=True)
    rows = [table[KNOWN].to_dict("records") for table in (after, before)]
    numbers, units = ["age", "height"], before["person"].tolist()

    def estimate(patterns, counts, share):
        return expectation_maximisation(np.array(patterns), np.array(counts), share)[:2]

    ranked = [twin.ranked(table, numbers) for table in rows]
    expected = {
        "linkage-distance": twin.linkage(*rows, KNOWN, numbers, units),
        "linkage-rank": twin.linkage(*ranked, KNOWN, numbers, units),
        "linkage-probabilistic": twin.probabilistic(*rows, KNOWN, numbers, units, estimate),
    }
    assert {name: attacks[name].rate for name in expected} == pytest.approx(expected)


def test_probabilistic_links_to_any_record_of_a_unit_are_right():
    before = pd.DataFrame({"a": list("xxxxyyyy"), "p": list("uuuvwxyz")})
    attacks = shoal.attack(
        before,
        before[["a"]],
        quasi_identifiers=["a"],
        unit="p",
        attacks=["linkage-probabilistic", "linkage-splink"],
        random_state=0,
    )
    for result in attacks.results:
        assert result.rate == pytest.approx((3 * 3 / 4 + 1 / 4 + 4 / 4) / 8), result.name
        assert result.ceiling == 0.75


def test_membership_counts_half_where_distances_are_equal():
    before = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    attacks = shoal.attack(before, before, quasi_identifiers=["a"], control=before, random_state=0)
    assert attacks["membership"].rate == 0.5
    apart = before + 10
    attacks = shoal.attack(before, before, quasi_identifiers=["a"], control=apart, random_state=0)
    assert attacks["membership"].rate == 1


@pytest.mark.parametrize(("second", "rate"), [(15.5, 6 / 8), (14.5, 4 / 8)])
def test_membership_names_the_nearer_half(second, rate):
    """Members are 1, 2, 3 and 6 away; of the others, the first is 1.5 and the second 3.5 or 2.5."""
    before = pd.DataFrame({"a": [0.0, 10.0, 20.0, 30.0]})
    after = pd.DataFrame({"a": [1.0, 12.0, 23.0, 36.0]})
    others = pd.DataFrame({"a": [2.5, second, 50.0, 60.0]})
    attacks = shoal.attack(before, after, quasi_identifiers=["a"], control=others, random_state=0)
    assert attacks["membership"].rate == rate


def test_the_best_guesses_are_the_modes_or_the_median():
    assert best_guesses(np.array([3, 3, 1, 1, 0])) == [1, 3]
    assert best_guesses(np.array([1.0, 5.0, 6.0])) == [5.0]
    assert best_guesses(np.array([np.nan])) == []


def test_em_finds_how_often_matching_pairs_agree():
    m = np.array([[0.1, 0.1, 0.1, 0.7], [0.02, 0.03, 0.05, 0.9], [0.2, 0.1, 0.1, 0.6]])
    u = np.array([[0.7, 0.2, 0.07, 0.03], [0.6, 0.35, 0.04, 0.01], [0.8, 0.15, 0.03, 0.02]])
    patterns = np.array(np.meshgrid(*[range(4)] * 3)).reshape(3, -1).T
    columns = np.arange(3)
    shares = 0.002 * m[columns, patterns].prod(axis=1) + 0.998 * u[columns, patterns].prod(axis=1)
    agreement, other, share = expectation_maximisation(patterns, 1e6 * shares, 0.01)
    assert share == pytest.approx(0.002, rel=0.02)
    assert np.abs(agreement - m).max() < 0.01
    assert np.abs(other - u).max() < 0.001


def test_tables_with_missing_cells_and_all_kinds_of_columns_are_attacked(original):
    before = original.assign(
        born=pd.Timestamp("2000-01-01") + pd.to_timedelta(np.arange(len(original)) % 90, "D"),
        member=np.arange(len(original)) % 2 == 0,
    )
    after = grouped(before, 4)
    after.loc[::7, "age"] = np.nan
    after.loc[::11, "region"] = None
    attacks = attack(before, after, quasi_identifiers=[*KNOWN, "born", "member"], control=before)
    for result in attacks.results:
        assert 0 <= result.interval[0] <= result.rate <= result.interval[1] <= 1
        assert not result.exceeds_ceiling


def test_figures_are_plain_and_shown(original, control):
    attacks = attack(original, grouped(original, 4), control=control)
    content = json.loads(json.dumps(attacks.to_dict()))
    assert content["k"] == attacks.k == 4
    assert content["seed"] == 3
    entry = content["attacks"][0]
    assert entry["excess"] == pytest.approx(entry["rate"] - entry["baseline"])
    for name in [*attacks, *attacks.not_run]:
        assert name in repr(attacks)


def test_wrong_names_are_refused(original):
    with raises(ParameterError, "unknown-attack", attack="no"):
        attack(original, original, attacks=["no"])
    with raises(ParameterError, "quasi-identifiers-needed"):
        attack(original, original, quasi_identifiers=[])
    with raises(ColumnError, "no-such-column", column="z"):
        attack(original, original, quasi_identifiers=["z"])
    with raises(InputError, "quasi-identifiers-needed"):
        attack(original, original.drop(columns="age"), quasi_identifiers=["age"])
    with raises(InputError, "halves-not-comparable"):
        attack(original, original, halves=(["age"], []))
    with raises(InputError, "records-differ"):
        attack(original, original.iloc[1:], aligned=True)
    with raises(ParameterError, "parameter-not-accepted", parameter="n_attacks"):
        attack(original, original, n_attacks=0)


def test_the_command_line_attacks_files(original, control, tmp_path):
    original.to_csv(tmp_path / "before.csv", index=False)
    grouped(original, 4).to_csv(tmp_path / "after.csv", index=False)
    control.to_csv(tmp_path / "control.csv", index=False)
    words = ["attack", str(tmp_path / "before.csv"), str(tmp_path / "after.csv")]
    words += [word for name in KNOWN for word in ("-c", name)]
    words += [word for name in SECRET for word in ("--confidential", name)]
    words += ["--control", str(tmp_path / "control.csv"), "--seed", "3"]
    shown = CliRunner().invoke(app, [*words, "--json"])
    assert shown.exit_code == 0, shown.output
    expected = attack(original, grouped(original, 4), control=control).to_dict()
    content = json.loads(shown.stdout)
    assert [entry["attack"] for entry in content["attacks"]] == [
        entry["attack"] for entry in expected["attacks"]
    ]
    for one, other in zip(content["attacks"], expected["attacks"], strict=True):
        assert one["rate"] == pytest.approx(other["rate"])
    table = CliRunner().invoke(app, [*words, "--attack", "linkage-rank"])
    assert table.exit_code == 0
    assert "linkage-rank" in table.stdout
    assert "linkage-distance" not in table.stdout


def test_splink_links_what_our_own_linkage_links(original):
    """Two programs with the same levels of agreement, which do not know which pairs match."""
    both = ["linkage-probabilistic", "linkage-splink"]
    masked = attack(original, grouped(original, 4), attacks=both)
    assert masked.exceeded == ()
    assert masked["linkage-splink"].ceiling == masked["linkage-probabilistic"].ceiling
    low, high = masked["linkage-splink"].interval
    assert low <= masked["linkage-probabilistic"].rate <= high
    noisy = original.assign(age=original["age"] + np.resize([-0.2, 0.3], len(original)))
    leak = attack(original, noisy, attacks=both)
    assert min(leak[name].rate for name in both) > 0.95
    assert "linkage-splink" not in attack(original, noisy)


def test_splink_is_refused_for_too_many_pairs(original, monkeypatch):
    monkeypatch.setattr("shoal.metrics.attacks.splink_linkage.MAX_PAIRS", 60 * len(original))
    some = attack(original, original, attacks=["linkage-splink"])
    assert some["linkage-splink"].trials == 60
    monkeypatch.setattr("shoal.metrics.attacks.splink_linkage.MAX_PAIRS", 40 * len(original))
    assert "linkage-splink" in attack(original, original, attacks=["linkage-splink"]).not_run


def test_very_large_values_are_compared_like_others(original):
    """Squares of these values are too large for a float."""
    large = original.assign(age=original["age"] * 1e160, height=original["height"] * 1e160)
    some = ["linkage-distance", "linkage-probabilistic"]
    masked = grouped(original, 4)
    of_large = masked.assign(age=masked["age"] * 1e160, height=masked["height"] * 1e160)
    small = attack(original, masked, attacks=some)
    assert [one.rate for one in attack(large, of_large, attacks=some).results] == pytest.approx(
        [one.rate for one in small.results], abs=0.02
    )
