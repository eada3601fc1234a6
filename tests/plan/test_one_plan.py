"""A run constructs its plan once, and the plan of its release once more if it records anything."""

import pytest
from typer.testing import CliRunner

import shoal
from shoal import Plan
from shoal.cli import app
from shoal.partitioners import MDAV, MuApprox, Search
from shoal.plan import deliver
from shoal.plan.definition import document
from shoal.steps import Microaggregate, Swap

COLUMNS = ["age", "height"]
pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


@pytest.fixture
def constructed(monkeypatch):
    """Return a list to which every plan adds itself when it is constructed."""
    plans = []
    original = Plan.__init__

    def construct(self, *args, **options):
        plans.append(self)
        original(self, *args, **options)

    monkeypatch.setattr(Plan, "__init__", construct)
    return plans


@pytest.fixture
def survey():
    return shoal.datasets.survey(200)[[*COLUMNS, "region", "income"]]


def complete_plan(*steps):
    """Return a plan to which a run of the survey adds nothing."""
    steps = steps or [Microaggregate(COLUMNS, MDAV(k=4))]
    roles = {"income": "confidential", "region": "non-confidential"}
    return Plan(roles, steps, types=dict.fromkeys(COLUMNS, "numeric"))


def test_a_plan_that_states_everything_is_the_plan_of_its_release(constructed, survey):
    plan = complete_plan()
    assert plan.run(survey).plan is plan
    assert constructed == [plan]


@pytest.mark.parametrize(
    ("step", "n_seeds"),
    [
        (Microaggregate(COLUMNS, MDAV(k=4), round="original"), 0),
        (Microaggregate(COLUMNS, MuApprox(k=4)), 1),
        (Microaggregate(COLUMNS, Search(k=4, budget=0.01)), 1),
        (Swap(COLUMNS, MDAV(k=4)), 1),
    ],
    ids=["decimals", "seed", "budget", "swap"],
)
def test_what_a_run_adds_to_a_plan_goes_into_one_other_plan(step, n_seeds, constructed, survey):
    plan = Plan({"income": "confidential"}, [step], {"height": "numeric"}, other_columns="release")
    release = plan.run(survey)
    assert len(release.drawn_seeds) == n_seeds
    assert constructed == [plan, release.plan]
    assert release.plan.other_columns == "refuse"
    assert "budget" not in document.dumps(release.plan.to_dict())


def test_microaggregate_constructs_two_plans(constructed, survey):
    release = shoal.microaggregate(survey, COLUMNS, k=4, confidential=["income"], shuffle=True)
    assert len(constructed) == 2
    assert constructed[-1] is release.plan
    assert release.plan.roles["region"] == "unassigned"
    assert set(release.plan.types) == set()  # both columns are numbers in the table
    assert release.plan.random_state is not None


def test_mask_and_run_construct_two_plans(constructed, survey, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey.to_csv("in.csv", index=False)
    tmp_path.joinpath("limits.toml").write_text("max_information_loss = 90\n")
    options = ["--limits", "limits.toml", "--shuffle", "--manifest", "out.json", "--force"]
    columns = ["-c", "age", "-c", "region", "--confidential", "income"]
    text = ["mask", "in.csv", "out.csv", *columns, "-k", "4", "--save-plan", "plan.toml"]
    for arguments in (text, ["run", "plan.toml", "in.csv", "out.csv"]):
        constructed.clear()
        result = CliRunner().invoke(app, [*arguments, *options])
        assert result.exit_code == 0, result.output
        requested, recorded = constructed
        assert requested.shuffle
        assert requested.limits.figures == ("information_loss",)
        assert (requested.random_state, recorded.random_state is None) == (None, False)
        assert recorded.roles["height"] == "unassigned"


def test_a_file_that_adds_nothing_needs_one_plan(constructed, survey, tmp_path):
    survey[COLUMNS].astype(int).to_csv(tmp_path / "in.csv", index=False)
    plan = Plan({}, [Microaggregate(COLUMNS, MDAV(k=4))], dict.fromkeys(COLUMNS, "numeric"))
    delivery = deliver.deliver(plan, tmp_path / "in.csv", tmp_path / "out.csv")
    assert delivery.release.plan is plan
    assert constructed == [plan]


def test_limits_of_a_file_and_of_a_plan_both_hold(constructed, tmp_path):
    plan = complete_plan().replace(limits={"max_linkage": 0.3, "max_information_loss": 0.5})
    plan.save(tmp_path / "plan.toml")
    limits = shoal.Limits({"max_linkage": 0.1, "max_information_loss": 0.9})
    constructed.clear()
    loaded = Plan.load(tmp_path / "plan.toml", shuffle=True, limits=limits)
    assert constructed == [loaded]
    expected = plan.replace(shuffle=True, limits={"max_linkage": 0.1, "max_information_loss": 0.5})
    assert loaded == expected
