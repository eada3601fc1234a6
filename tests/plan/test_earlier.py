"""Earlier releases of the same people, counted with sets."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from shoal import Plan
from shoal.audit import verify
from shoal.cli import app
from shoal.frame.tables import open_frame, take
from shoal.partitioners import MDAV
from shoal.plan.evidence import Evidence
from shoal.plan.findings.earlier_releases import find_earlier_releases
from shoal.steps import Microaggregate

KNOWN = ["age", "height", "town"]
pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def people(n=90, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.normal(50, 9, n),
            "height": rng.normal(170, 9, n),
            "town": rng.choice(["north", "south"], n),
            "pay": rng.normal(2000, 300, n),
        }
    )


def plan(k, **options):
    step = Microaggregate(["age", "height"], MDAV(k=k), within="town")
    return Plan({"pay": "confidential"}, [step], other_columns="release", **options)


def evidence(release, data):
    frame = open_frame(data)
    frame = frame if release.rows is None else take(frame, release.rows)
    return Evidence(release.plan, open_frame(release.data), frame)


def by_code(findings):
    return {finding.code: finding for finding in findings}


def intersected(first, second):
    """Return how many persons are left for each, given the groups of all in two releases."""
    inside = {}
    for person, pair in enumerate(zip(first, second, strict=True)):
        inside.setdefault(pair, set()).add(person)
    return np.array([len(inside[pair]) for pair in zip(first, second, strict=True)])


@pytest.mark.parametrize("shuffled", [(False, False), (True, False)])
def test_two_releases_of_a_table_are_intersected_to_the_person(shuffled):
    data = people()
    earlier = plan(4, shuffle=shuffled[1]).run(data)
    current = plan(5, shuffle=shuffled[0]).run(data)
    rows = np.arange(len(data)) if current.rows is None else current.rows
    expected = intersected(earlier.labels[rows].tolist(), current.labels.tolist())
    findings = find_earlier_releases(
        evidence(current, data), {"then": open_frame(earlier.data)}, current.rows
    )
    (finding,) = findings
    assert finding.code == "earlier-release-intersection"
    assert finding.severity == "breaks"
    assert finding.figures == {
        "releases": 2,
        "smallest": expected.min(),
        "below_k": (expected < 5).mean(),
        "alone": (expected == 1).mean(),
        "exact": True,
    }
    assert expected.min() == 1


def test_an_earlier_release_in_another_order_is_linked_by_its_values():
    data = people()
    earlier, current = plan(4, shuffle=True).run(data), plan(5).run(data)
    (finding,) = find_earlier_releases(evidence(current, data), {"then": open_frame(earlier.data)})
    assert finding.severity == "qualifies"
    assert not finding.figures["exact"]
    # Every person goes to the nearest values of the own town.
    centres = earlier.data[KNOWN].drop_duplicates().reset_index(drop=True)
    spread = data[["age", "height"]].std(ddof=0).to_numpy()
    linked = []
    for person in data.itertuples():
        apart = (centres[["age", "height"]].to_numpy() - [person.age, person.height]) / spread
        square = (apart**2).sum(axis=1) + (centres["town"] != person.town).to_numpy()
        linked.append(int(np.argmin(square)))
    expected = intersected(linked, current.labels.tolist())
    assert finding.figures["smallest"] == expected.min()
    assert finding.figures["below_k"] == pytest.approx((expected < 5).mean())


def test_the_same_groups_again_reveal_nothing():
    data = people()
    earlier, current = plan(5).run(data), plan(5).run(data.assign(pay=data["pay"] + 1))
    (finding,) = find_earlier_releases(evidence(current, data), {"then": open_frame(earlier.data)})
    assert finding.severity == "informs"
    assert finding.figures["smallest"] >= 5


def test_units_are_counted_where_the_plan_counts_them():
    data = people()
    earlier, current = plan(4).run(data), plan(5).run(data)
    units = np.arange(len(data)) // 3
    inputs = evidence(current, data)
    inputs = Evidence(inputs.plan, inputs.released, inputs.original, units)
    (finding,) = find_earlier_releases(inputs, {"then": open_frame(earlier.data)})
    pairs = list(zip(earlier.labels.tolist(), current.labels.tolist(), strict=True))
    expected = [
        len({units[i] for i, other_pair in enumerate(pairs) if other_pair == pair})
        for pair in pairs
    ]
    assert finding.figures["smallest"] == min(expected)
    assert finding.figures["below_k"] == pytest.approx(np.mean(np.array(expected) < 5))


@pytest.mark.parametrize("n_removed", [1, 4, 5])
@pytest.mark.parametrize("has_original", [True, False])
@pytest.mark.parametrize("is_longer", [True, False])
def test_releases_that_differ_by_few_records_reveal_them(n_removed, has_original, is_longer):
    data, part = people(), people().iloc[n_removed:]
    current, earlier = (
        plan(5).run(table) for table in ((data, part) if is_longer else (part, data))
    )
    difference = current.data[["age", "height"]].sum() - earlier.data[["age", "height"]].sum()
    truth = data[["age", "height"]].iloc[:n_removed].sum() * (1 if is_longer else -1)
    assert difference.to_numpy() == pytest.approx(truth.to_numpy())  # the attack works
    inputs = evidence(current, data if is_longer else part)
    inputs = inputs if has_original else Evidence(inputs.plan, inputs.released)
    findings = by_code(find_earlier_releases(inputs, {"then": open_frame(earlier.data)}))
    assert ("earlier-release-difference" in findings) == (n_removed < 5)
    if n_removed < 5:
        assert findings["earlier-release-difference"].severity == "breaks"
        assert findings["earlier-release-difference"].figures["records"] == n_removed


def test_releases_of_other_people_are_not_compared():
    current, earlier = plan(5).run(people(90, seed=1)), plan(5).run(people(89, seed=2))
    inputs = evidence(current, people(90, seed=1))
    findings = by_code(find_earlier_releases(inputs, {"then": open_frame(earlier.data)}))
    assert "earlier-release-difference" not in findings


def test_without_the_original_changed_classes_are_counted():
    data = people()
    current = plan(5).run(data)
    inputs = Evidence(current.plan, open_frame(current.data))
    assert (
        find_earlier_releases(
            inputs, {"same": open_frame(current.data.sample(frac=1, random_state=1))}
        )
        == []
    )
    earlier = current.data.copy()
    first = current.labels == current.labels[0]
    earlier.loc[first, "age"] += 1
    (finding,) = find_earlier_releases(inputs, {"then": open_frame(earlier)})
    assert finding.code == "earlier-release-uncounted"
    assert finding.figures["changed"] == {"then": pytest.approx(first.mean())}


def test_a_release_without_a_common_column_gives_no_finding():
    data = people()
    current = plan(5).run(data)
    assert find_earlier_releases(evidence(current, data), {"pay": open_frame(data[["pay"]])}) == []


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    for k in (4, 5):
        plan(k).save(f"{k}.toml")
        result = CliRunner().invoke(
            app, ["run", f"{k}.toml", "in.csv", f"{k}.csv", "--manifest", f"{k}.json", "-q"]
        )
        assert result.exit_code == 0, result.output
    return tmp_path


def test_verify_counts_candidates_and_fails_where_fewer_than_k_are_left(files):
    verification = verify("5.csv", "5.json", original="in.csv", earlier="4.csv")
    assert verification.verdict.status == "not kept"
    assert not verification.passed
    finding = by_code(verification.verdict.findings)["earlier-release-intersection"]
    expected = intersected(*(pd.read_csv(f"{k}.csv")[KNOWN].apply(tuple, axis=1) for k in (4, 5)))
    assert finding.figures["below_k"] == pytest.approx((expected < 5).mean())
    assert [check.name for check in verification if check.passed is False] == ["earlier releases"]
    without_earlier = verify("5.csv", "5.json", original="in.csv")
    assert without_earlier.passed
    assert verify("5.csv", "5.json", original="in.csv", earlier=["5.csv"]).passed


def test_the_command_line_takes_earlier_releases(files):
    command = ["verify", "5.csv", "--manifest", "5.json", "--earlier", "4.csv"]
    with_original = CliRunner().invoke(app, [*command, "--original", "in.csv", "--json"])
    assert with_original.exit_code == 1
    codes = [f["code"] for f in json.loads(with_original.stdout)["verdict"]["findings"]]
    assert "earlier-release-intersection" in codes
    without = CliRunner().invoke(app, [*command, "--json"])
    assert without.exit_code == 0, without.output
    codes = [f["code"] for f in json.loads(without.stdout)["verdict"]["findings"]]
    assert "earlier-release-uncounted" in codes
    assert CliRunner().invoke(app, [*command, "--strict"]).exit_code == 1
