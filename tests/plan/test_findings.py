"""Each finding appears where it must, and not on a similar release without its cause."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import ShoalWarning
from shoal.frame.tables import open_frame
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.evidence import Evidence
from shoal.plan.findings.imputed_values import find_imputed_values
from shoal.plan.findings.loss import large_group_findings
from shoal.plan.guarantees import judge
from shoal.steps import Microaggregate, Round


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        yield


def people(n=120, seed=0):
    """Return records in random order, of which nothing is to be found."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "pay": rng.integers(900, 4000, n).astype(float),
            "ill": rng.choice(["a", "b", "c", "d"], n),
        }
    )


def mask(data, columns=("age", "pay"), *, k=4, **options):
    settings = {"confidential": ["ill"], "method": "mdav", "homogeneity": "merge", **options}
    return shoal.microaggregate(data, list(columns), k=k, **settings)


def finding_of(release, code):
    return next((finding for finding in release.verdict.findings if finding.code == code), None)


def test_a_plain_release_is_kept_and_only_insiders_are_named():
    release = mask(people())
    assert release.verdict.status == "kept"
    assert release.verdict.codes() == ["insiders"]
    assert release.verdict.sentence.startswith("k = 4 is kept: ")
    assert "verdict: kept" in repr(release)


def test_k_of_one_is_no_guarantee():
    release = mask(people(), k=1, homogeneity="warn")
    assert release.verdict.status == "not kept"
    assert finding_of(release, "k-is-one").severity == "breaks"
    assert "k-is-one" not in mask(people(), k=2).verdict.codes()


def test_blocks_that_together_attain_less_break_the_guarantee():
    release = mask(people(), blocks=1, homogeneity="warn")
    finding = finding_of(release, "joint-class-below-k")
    joint = release.data.groupby(["age", "pay"]).size().min()
    assert finding.severity == "breaks"
    assert finding.figures["attained"] == joint < 4
    assert release.verdict.status == "not kept"
    assert finding_of(mask(people(), ["age"], blocks=1), "joint-class-below-k") is None


def test_a_block_below_its_own_k_is_named():
    data = people()
    plan = Plan.of(["age", "pay"], MDAV(k=4), confidential=["ill"])
    release = plan.run(data)
    spoiled = release.data.copy()
    spoiled.loc[0, "age"] = -1.0
    verdict = judge(Evidence(plan, open_frame(spoiled)))
    assert verdict.status == "not kept"
    assert verdict.of("breaks")[0].code == "class-below-k"
    assert verdict.k == 1


def test_a_step_without_k_qualifies():
    release = Plan({}, [Round(["age"], 10)]).run(people()[["age"]])
    assert release.verdict.status == "qualified"
    assert finding_of(release, "no-k-guarantee").columns == ("age",)
    assert release.verdict.sentence.startswith("No k-anonymity is guaranteed")


@pytest.mark.parametrize(
    ("option", "code"), [("diversity", "diversity-not-attained"),
                         ("closeness", "closeness-not-attained")]
)  # fmt: skip
def test_guarantees_beyond_k_are_counted_on_the_released_values(option, code):
    data = people()
    release = mask(data, ["age"], **{option: 2 if option == "diversity" else 0.4})
    assert code not in release.verdict.codes()
    spoiled = release.data.copy()
    first = spoiled["age"] == spoiled.loc[0, "age"]
    spoiled.loc[first, "ill"] = "a"
    verdict = judge(Evidence(release.plan, open_frame(spoiled)))
    assert verdict.status == "not kept"
    assert verdict.k >= 4
    assert code in verdict.codes()
    assert verdict.of("breaks")[0].sentence in verdict.sentence


def test_columns_without_a_role_are_named_together():
    data = people().assign(x=1, y=2)
    finding = finding_of(mask(data), "unprotected-column")
    assert finding.columns == ("x", "y")
    assert finding_of(mask(data, confidential=["ill", "x", "y"], homogeneity="warn"),
                   "unprotected-column") is None  # fmt: skip


def test_unchanged_columns_that_single_records_out_are_counted_as_pandas_does():
    data = people(200).assign(
        town=np.random.default_rng(1).integers(0, 40, 200),
        sex=np.random.default_rng(2).choice(["m", "f"], 200),
    )
    release = mask(data)
    finding = finding_of(release, "unique-on-unchanged-columns")
    is_unique_alone = data.groupby(["town", "sex"])["age"].transform("size") == 1
    released = release.data
    is_unique_together = (
        released.groupby(["age", "pay", "town", "sex"])["ill"].transform("size") == 1
    )
    assert finding.figures == {
        "alone": is_unique_alone.mean(),
        "with_masked": is_unique_together.mean(),
    }
    assert finding.severity == "qualifies"
    assert finding_of(mask(data.assign(town=1, sex="m")), "unique-on-unchanged-columns") is None
    within = mask(data.drop(columns="town"), within="sex")
    assert finding_of(within, "unique-on-unchanged-columns") is None


def test_a_few_unique_records_inform_where_the_threshold_says_so():
    data = people(200).assign(sex=["m"] * 199 + ["f"])
    release = mask(data)
    assert finding_of(release, "unique-on-unchanged-columns").severity == "informs"
    strict = Plan(release.plan.roles, release.plan.steps, thresholds={"unique": 0.0}).run(data)
    assert finding_of(strict, "unique-on-unchanged-columns").severity == "qualifies"


def test_a_confidential_column_that_works_as_a_key_is_found():
    data = people().assign(tax=np.random.default_rng(3).permutation(120))
    release = mask(data, confidential=["ill", "tax"])
    finding = finding_of(release, "confidential-key")
    assert finding.severity == "qualifies"
    assert finding.columns == ("tax",)
    assert finding.figures["unique"] == {"ill": 0.0, "tax": 1.0}
    half = data.assign(tax=data["tax"] // 2)
    finding = finding_of(mask(half, confidential=["ill", "tax"]), "confidential-key")
    together = half.groupby(["ill", "tax"])["age"].transform("size") == 1
    assert (finding.severity, finding.figures["together"]) == ("informs", together.mean())
    tenth = data.assign(tax=data["tax"] // 10)
    assert finding_of(mask(tenth, confidential=["ill", "tax"]), "confidential-key") is None
    assert "single" not in mask(tenth, confidential=["ill", "tax"]).verdict.sentence


def test_any_unique_confidential_value_is_stated():
    data = people().assign(tax=np.random.default_rng(3).permutation(120) // 10)
    data.loc[3:5, "tax"] = [100, 101, 102]
    release = mask(data, confidential=["ill", "tax"])
    finding = finding_of(release, "confidential-key")
    assert (finding.severity, finding.columns) == ("informs", ("tax",))
    assert finding.figures["unique"]["tax"] == 3 / 120
    assert "'tax' 2.5 %" in finding.sentence
    assert release.verdict.status == "kept"
    assert release.verdict.sentence.endswith("and confidential values single some records out.")


def test_k_is_kept_on_the_quasi_identifiers_only_where_other_columns_single_records_out():
    release = mask(people().assign(serial=np.random.default_rng(3).permutation(120)))
    assert finding_of(release, "unique-on-unchanged-columns").severity == "qualifies"
    sentence = release.verdict.sentence
    assert sentence.startswith("k = 4 is kept on the quasi-identifiers only (the smallest class")
    assert sentence.endswith("), with 2 reservations.")
    former_sentence = release.verdict.former_sentence
    assert former_sentence.startswith(
        "k = 4 is kept, with 2 reservations: the smallest class holds"
    )


def test_values_released_exactly_are_counted():
    data = people(60)
    data["age"] = np.repeat([20.0, 30, 40], 20)
    data["pay"] = np.repeat([1.0, 2, 3], 20)
    release = mask(data, k=20, homogeneity="warn")
    finding = finding_of(release, "released-exactly")
    assert finding.severity == "qualifies"
    assert finding.figures["together"] == 1
    assert "both masked columns" in finding.sentence
    assert dict(release.verdict.exact) == {"age": 1.0, "pay": 1.0, "": 1.0}
    release = mask(people())
    same = release.data[["age", "pay"]] == people()[["age", "pay"]]
    expected = {**same.mean().to_dict(), "": same.all(axis=1).mean()}
    assert dict(release.verdict.exact) == expected
    assert finding_of(release, "released-exactly") is None


def test_exact_values_are_counted_for_categories_and_missing_cells():
    data = pd.DataFrame({"job": ["a", "a", "a", "b", None, None, None, None], "x": range(8)})
    release = shoal.microaggregate(data, ["job"], k=4, method="mdav", missing="own-groups",
                                   identifiers=["x"])  # fmt: skip
    is_present = data["job"].notna()
    is_same = release.data["job"].eq(data["job"])
    assert release.verdict.exact["job"] == is_same[is_present].mean()
    assert (
        release.verdict.exact[""] == (is_same | (~is_present & release.data["job"].isna())).mean()
    )


def test_a_record_that_dominates_its_group_is_found():
    data = people()
    assert finding_of(mask(data), "dominated-groups") is None
    data.loc[7, "pay"] = 1e7
    release = mask(data)
    finding = finding_of(release, "dominated-groups")
    assert "In some classes" in finding.sentence  # groups with equal means are one class
    sums = data["pay"].groupby(release.labels)
    assert finding.figures["groups"] == {"pay": int((sums.max() > 0.8 * sums.sum()).sum())}
    assert finding.severity == "qualifies"
    assert finding_of(mask(data, aggregate="median"), "dominated-groups") is None
    lax = Plan(release.plan.roles, release.plan.steps, thresholds={"dominance": 1.0})
    assert finding_of(lax.run(data), "dominated-groups") is None
    ruled = Plan(release.plan.roles, release.plan.steps,
                 thresholds={"dominance": 1.0, "p_percent": 10})  # fmt: skip
    assert finding_of(ruled.run(data), "dominated-groups") is not None


def test_counts_of_a_yes_or_no_are_not_dominance():
    data = people().assign(owns=lambda t: (t["age"] > 85).astype(float))
    assert finding_of(mask(data, ["age", "owns"]), "dominated-groups") is None


def test_a_weight_that_dominates_its_group_is_found():
    data = people().assign(w=1.0)
    release = mask(data, weight="w")
    assert finding_of(release, "dominated-groups") is None
    data.loc[3, "w"] = 1000.0
    assert "w" in finding_of(mask(data, weight="w"), "dominated-groups").columns


def test_dominated_weights_of_all_blocks_of_columns_are_counted():
    data = people().assign(w=1.0, years=lambda t: t["age"][::-1].to_numpy())
    data.loc[3, "w"] = 1000.0
    release = mask(data, ["age", "pay", "years"], blocks=[["age", "pay"], ["years"]], weight="w")
    finding = finding_of(release, "dominated-groups")
    assert finding.figures["groups"]["w"] == 2  # the record is in one class of each block
    n_classes = sum(
        len(release.data[block].drop_duplicates()) for block in (["age", "pay"], ["years"])
    )
    assert f"in 2 of {n_classes:,}" in finding.sentence


@pytest.mark.parametrize(
    ("derived", "sources"),
    [
        (lambda t: np.log(t["pay"]), ["extra"]),
        (lambda t: t["pay"] ** 2, ["extra"]),
        (lambda t: 12 * t["pay"] + 5, ["extra"]),
        (lambda t: t["pay"] - t["years"], ["extra", "years"]),
        (lambda t: t["pay"] * t["years"], ["extra", "years"]),
    ],
)
def test_columns_that_determine_a_masked_one_are_found(derived, sources):
    data = people(300).assign(years=np.random.default_rng(4).integers(1, 999, 300).astype(float))
    assert finding_of(mask(data), "derived-column") is None
    release = mask(data.assign(extra=derived))
    rule = finding_of(release, "derived-column").figures["rules"]["pay"]
    assert sorted(rule["from"]) == sources
    assert rule["r2"] >= 0.99
    noisy = data.assign(extra=derived(data) * np.random.default_rng(5).uniform(0.5, 2, 300))
    assert finding_of(mask(noisy), "derived-column") is None


def test_a_category_that_follows_from_another_is_found():
    data = people(300).assign(town=np.random.default_rng(6).integers(0, 12, 300))
    data["region"] = data["town"].map(lambda town: "nsew"[town % 4])
    options = {"method": "mdav", "confidential": ["ill"]}
    release = shoal.microaggregate(data, ["region"], k=4, **options)
    assert finding_of(release, "derived-column").figures["rules"]["region"]["from"] == ["town"]
    data["town"] = np.random.default_rng(7).integers(0, 12, 300)
    release = shoal.microaggregate(data, ["region"], k=4, **options)
    assert finding_of(release, "derived-column") is None


def test_long_tables_are_sampled_and_the_finding_says_so():
    data = people(1500)
    data["extra"] = np.log(data["pay"])
    plan = Plan({}, [Microaggregate(["age", "pay"], MDAV(k=4))], thresholds={"sample": 200},
                other_columns="release")  # fmt: skip
    finding = finding_of(plan.run(data), "derived-column")
    assert finding.figures["records"] == 200
    assert "200" in finding.sentence


def test_shared_confidential_values_are_counted():
    data = people()
    assert finding_of(mask(data), "homogeneous-group") is None
    data.loc[data["age"] < 30, "ill"] = "a"
    release = mask(data, ["age"], homogeneity="warn")
    finding = finding_of(release, "homogeneous-group")
    shared = (release.data.groupby("age")["ill"].nunique() == 1).sum()
    assert finding.figures["homogeneous"] == {"ill": shared}


def test_pairs_qualify_and_larger_groups_inform():
    release = mask(people(), k=2, homogeneity="warn")
    finding = finding_of(release, "pairs")
    sizes = release.data.groupby(["age", "pay"]).size()
    assert finding.severity == "qualifies"
    assert finding.figures == {"size": 2, "groups": (sizes == 2).sum()}
    assert finding_of(mask(people(), k=3), "insiders").figures["size"] == 3
    median = mask(people(), k=2, aggregate="median", homogeneity="warn")
    assert finding_of(median, "pairs") is None


@pytest.mark.parametrize("by", ["age", "name"])
def test_an_order_that_follows_a_hidden_column_is_found(by):
    data = people().assign(name=[f"N{i:04d}" for i in np.random.default_rng(8).permutation(120)])
    assert finding_of(mask(data, identifiers=["name"]), "order-follows-column") is None
    ordered = data.sort_values(by, ascending=by == "age").reset_index(drop=True)
    finding = finding_of(mask(ordered, identifiers=["name"]), "order-follows-column")
    assert finding.columns == (by,)
    assert finding.severity == "qualifies"


def test_a_moved_record_does_not_hide_an_order():
    data = people(528).sort_values("age", ignore_index=True).assign(hh=np.repeat(range(176), 3))
    data["pay"] = data.groupby("hh")["pay"].transform("mean")
    moved = data.iloc[[*range(1, 528), 0]].reset_index(drop=True)
    codes = mask(moved, household="hh", homogeneity="warn").verdict.codes()
    assert {"revealing-order", "order-follows-column"} <= set(codes)
    mixed = data.sample(frac=1, random_state=1).reset_index(drop=True)
    codes = mask(mixed, household="hh", homogeneity="warn").verdict.codes()
    assert not {"revealing-order", "order-follows-column"} & set(codes)


def test_values_of_few_contributors_are_counted_and_those_of_one_are_not_released():
    data = people()
    data["region"] = [f"region {i}" for i in data.index // 4]  # groups of 4: one to a region
    data.loc[data.index % 4 < data.index // 4 % 5, "pay"] = np.nan
    release = mask(data, missing="impute", homogeneity="warn", within="region")
    n_present = data["pay"].notna().groupby(release.labels).sum()
    k = release.plan.k
    assert (n_present == 1).any()
    assert ((n_present > 1) & (n_present < k)).any()
    assert finding_of(release, "one-contributor") is None
    finding = finding_of(release, "few-contributors")
    assert finding.figures == {"groups": {"pay": ((n_present > 1) & (n_present < k)).sum()}, "k": k}
    is_shown = release.data["pay"].notna().groupby(release.labels).agg(["min", "max"])
    assert (is_shown["min"] == is_shown["max"]).all()
    assert (is_shown["max"] == (n_present > 1)).all()
    assert finding_of(mask(people(), missing="impute"), "few-contributors") is None


def test_a_file_that_shows_the_value_of_one_record_is_found():
    data = people().assign(pay=np.nan)
    data.loc[data["age"].idxmax(), "pay"] = 5000.0
    release = mask(data, missing="impute", homogeneity="warn")
    evidence = Evidence(
        release.plan,
        open_frame(release.data.assign(pay=5000.0)),
        open_frame(data),
    )
    finding = next(f for f in find_imputed_values(evidence) if f.code == "one-contributor")
    assert finding.figures["groups"] == {"pay": 1}


def test_a_high_loss_and_large_groups_are_found():
    data = people()
    release = mask(data, k=40, homogeneity="warn")
    assert release.measures["information_loss"] > 50
    assert finding_of(release, "high-loss").figures["information_loss"] > 50
    assert finding_of(mask(data), "high-loss") is None
    close = mask(data, ["age"], k=2, closeness=0.05, homogeneity="warn")
    finding = finding_of(close, "large-groups")
    sizes = np.bincount(close.labels)
    assert finding.figures["groups"] == (sizes > 6).sum()
    assert finding.figures["largest"] == sizes.max()
    assert finding_of(mask(data), "large-groups") is None


def test_large_groups_of_several_k_are_counted_together():
    (finding,) = large_group_findings({(2, 10): 3, (3, 10): 1, (3, 4): 5}, max_ratio=3)
    assert finding.figures == {"groups": 4, "largest": 10, "share": 40 / 60}
    assert "4 of 9 groups" in finding.sentence


def test_merged_strata_inform():
    data = people(40).assign(town=["a"] * 38 + ["b"] * 2)
    data = data.sample(frac=1, random_state=0, ignore_index=True)
    release = mask(data, within="town", small_strata="merge")
    assert finding_of(release, "strata-merged").severity == "informs"
    assert finding_of(mask(data), "strata-merged") is None


def test_weights_that_identify_qualify_and_others_inform():
    data = people().assign(w=np.arange(1.0, 121))
    assert finding_of(mask(data, weight="w"), "released-weights").severity == "qualifies"
    assert (
        finding_of(mask(data.assign(w=2.0), weight="w"), "released-weights").severity == "informs"
    )
    dropped = mask(data, weight="w", identifiers=["w"])
    assert finding_of(dropped, "released-weights") is None


def test_without_the_original_the_verdict_says_what_was_not_checked():
    release = mask(people())
    verdict = judge(Evidence(release.plan, open_frame(release.data)))
    assert verdict.codes() == ["insiders", "checks-not-computed"]
    assert verdict.exact is None


def test_the_columns_of_a_panel_are_counted_in_units():
    data = people(40).assign(town=np.repeat(np.arange(20), 2))
    roles = {"pay": "confidential", "ill": "confidential", "town": "non-confidential"}
    plan = Plan(roles, [Microaggregate(["age"], MDAV(k=4))])
    release = plan.run(data)
    units = np.repeat(np.arange(20), 2)
    evidence = Evidence(plan, open_frame(release.data), open_frame(data), units=units)
    verdict = judge(evidence)
    unique_records = next(
        finding for finding in verdict.findings if finding.code == "unique-on-unchanged-columns"
    )
    assert unique_records.figures["alone"] == 1
    frame = release.data.assign(unit=units)
    assert verdict.k == frame.groupby("age")["unit"].nunique().min()


def test_findings_name_no_value_of_the_data():
    data = people().assign(town=["Secretville"] * 119 + ["Hiddenham"])
    release = mask(data, confidential=["ill", "town"], homogeneity="warn")
    text = str(release.verdict.to_dict())
    assert "Secretville" not in text
    assert "Hiddenham" not in text


def test_columns_of_any_type_are_judged():
    table = pa.table(
        {
            "age": np.random.default_rng(9).normal(size=60),
            "seen": pa.array([[i] for i in range(60)]),
            "when": pa.array([(1, 2, i) for i in range(60)], pa.month_day_nano_interval()),
        }
    )
    release = shoal.microaggregate(table, ["age"], k=3, method="mdav")
    assert finding_of(release, "unique-on-unchanged-columns").figures["alone"] == 1


def test_a_shuffled_release_has_no_order_finding():
    data = people(300).sort_values("age", ignore_index=True)
    assert "order-follows-column" in mask(data).verdict.codes()
    release = mask(data, shuffle=True)
    assert "order-follows-column" not in release.verdict.codes()
    assert dict(release.verdict.exact) == dict(mask(data).verdict.exact)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_zero_and_minus_zero_are_one_confidential_value(make):
    data = make({"x": [1.0, 1, 2, 2], "secret": [0.0, -0.0, None, 1.0]})
    plain = shoal.microaggregate(data, ["x"], k=2, confidential=["secret"], method="mdav")
    assert finding_of(plain, "homogeneous-group").figures["homogeneous"] == {"secret": 1}
    diverse = shoal.microaggregate(
        data, ["x"], k=2, confidential=["secret"], method="mdav", diversity=2
    )
    assert diverse.measures["smallest_class"] == 4
    incomplete = {"x": [1.0, 1, 2, 2], "secret": pa.array([np.nan, None, 1, 2])}
    data = (
        pa.table(incomplete)
        if make is pa.table
        else make({**incomplete, "secret": [np.nan, None, 1, 2]})
    )
    release = shoal.microaggregate(data, ["x"], k=2, confidential=["secret"], method="mdav")
    assert finding_of(release, "homogeneous-group") is None  # NaN and null are missing cells
    assert finding_of(release, "missing-in-class").figures == {
        "classes": 2,
        "missing": {"secret": 1},
    }
    apart = shoal.microaggregate(
        make({"x": [1.0, 1, 2, 2], "y": [0.0, -0.0, 1, 1]}), ["x"], k=2, method="mdav"
    )
    assert finding_of(apart, "unique-on-unchanged-columns") is not None


def test_a_single_missing_cell_is_no_unique_confidential_value():
    data = pd.DataFrame({"age": np.arange(12.0), "ill": ["a", "b"] * 6})
    data.loc[3, "ill"] = None
    assert finding_of(mask(data, ["age"], confidential=["ill"]), "confidential-key") is None
    data.loc[5, "ill"] = "c"
    finding = finding_of(mask(data, ["age"], confidential=["ill"]), "confidential-key")
    assert finding.figures["unique"]["ill"] == pytest.approx(1 / 12)
