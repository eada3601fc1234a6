"""Which runs of a session are compared, and which one is recommended."""

import pytest

from shoal.app.risk_utility_map import draw_runs, front_of, recommend
from shoal.app.sessions import Run


def run(number, loss, risk, *, status="kept", roles="quasi-identifier", state="done"):
    return Run(
        number=number,
        description=f"k = {number}",
        plan={"roles": {"age": roles}},
        state=state,
        result={"loss": loss, "risk": risk, "status": status},
    )


@pytest.mark.parametrize(
    "runs",
    [
        [],
        [run(1, 3.0, 0.2)],
        [run(1, 3.0, 0.2), run(2, None, 0.1)],
        [run(1, 3.0, 0.2), run(2, 4.0, 0.1, state="failed")],
    ],
)
def test_a_single_run_is_not_compared(runs):
    assert front_of(runs) == set()
    assert recommend(runs) == (None, "")
    assert draw_runs(runs, set()) == ""


def test_the_run_nearest_to_the_least_loss_and_risk_is_recommended():
    runs = [run(1, 1.0, 0.9), run(2, 2.0, 0.2), run(3, 9.0, 0.1), run(4, 9.0, 0.2)]
    assert front_of(runs) == {1, 2, 3}
    best, reason = recommend(runs)
    assert best == 2
    assert "run 2 (k = 2). Of the 3 choices on the Pareto front" in reason
    drawn = draw_runs(runs, front_of(runs), best)
    assert drawn.count('class="ring"') == 3  # in both pictures and the legend


def test_a_run_that_does_not_keep_its_guarantee_is_not_recommended():
    broken = run(2, 2.0, 0.2, status="not kept")
    assert recommend([run(1, 1.0, 0.9), broken, run(3, 9.0, 0.1)])[0] == 3
    assert recommend([broken, run(3, 9.0, 0.3)])[0] is None


def test_runs_of_different_roles_are_not_compared():
    best, reason = recommend([run(1, 1.0, 0.9), run(2, 2.0, 0.2, roles="confidential")])
    assert best is None
    assert "different roles" in reason
