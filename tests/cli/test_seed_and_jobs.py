"""``--seed`` and ``--n-jobs`` of commands that run plans and steps."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from shoal._jobs import default_n_jobs, effective_n_jobs
from shoal.audit import verify
from shoal.cli import app
from shoal.cli.commands import run as run_command
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.steps import AddNoise, Swap

ROLES = {"age": "quasi-identifier", "pay": "confidential", "bonus": "confidential"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"age": rng.integers(18, 80, 60), "pay": rng.normal(size=60), "bonus": rng.normal(size=60)}
    )
    data.to_csv(tmp_path / "in.csv", index=False)
    steps = [
        Swap(["age"], MDAV(k=4)),
        AddNoise(["pay"], amount=0.2),
        AddNoise(["bonus"], amount=0.2),
    ]
    Plan(ROLES, steps, shuffle=True).save(tmp_path / "plan.toml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result


def released(folder, *words):
    shell("run", "plan.toml", "in.csv", "out.csv", "--force", "-q", *words)
    return (folder / "out.csv").read_bytes()


def test_a_plan_without_seeds_is_repeated_by_the_seed_of_the_run(folder):
    assert released(folder, "--seed", 3) == released(folder, "--seed", 3)
    assert released(folder, "--seed", 3) != released(folder, "--seed", 4)


def test_the_steps_of_a_run_with_a_seed_draw_different_numbers(folder):
    plan = run_command._with_seeds(Plan.load("plan.toml"), 3)
    seeds = [*(seed for step in plan.steps for seed in step.seeds), plan.random_state]
    assert None not in seeds
    assert len(set(seeds)) == len(seeds)


def test_the_seeds_that_a_plan_states_are_kept(folder):
    stated = [AddNoise(["age"], amount=0.2, random_state=8)]
    Plan(ROLES, stated).save(folder / "plan.toml", force=True)
    assert released(folder, "--seed", 3) == released(folder)


def test_a_run_that_draws_the_order_follows_the_agreed_plan(folder):
    released(folder, "--manifest", "manifest.json")
    verification = verify("out.csv", "manifest.json", plan="plan.toml")
    assert [check for check in verification if check.passed is False] == []


def test_a_run_with_a_seed_and_jobs_follows_the_agreed_plan(folder):
    released(folder, "--seed", 3, "--n-jobs", 2, "--manifest", "manifest.json")
    verification = verify("out.csv", "manifest.json", original="in.csv", plan="plan.toml")
    assert [check for check in verification if check.passed is False] == []


def test_a_number_of_jobs_is_a_default_for_what_states_none():
    cores = effective_n_jobs(None)
    with default_n_jobs(3):
        assert (effective_n_jobs(None), effective_n_jobs(1), effective_n_jobs(-1)) == (3, 1, cores)
    assert effective_n_jobs(None) == cores


def test_the_order_of_a_step_that_draws_nothing_is_repeated_by_its_seed(folder):
    words = ["-c", "pay", "--base", "10", "--shuffle", "--seed"]
    for target, seed in (("a.csv", 5), ("b.csv", 5), ("c.csv", 6)):
        shell("round", "in.csv", target, *words, seed)
    contents = [(folder / name).read_bytes() for name in ("a.csv", "b.csv", "c.csv")]
    assert contents[0] == contents[1] != contents[2]


def test_a_tradeoff_of_a_method_that_draws_is_repeated_by_its_seed(folder):
    words = ["tradeoff", "in.csv", "-c", "age,bonus", "--confidential", "pay", "-k", 5, "--json"]
    words += ["-m", "lloyd", "--dependence", "0.5", "--seed"]
    first, second = (json.loads(shell(*words, 1).stdout)["points"] for _ in range(2))
    assert first == second


def test_the_noise_on_classes_that_share_a_value_is_repeated_by_the_seed(folder):
    rows = "".join(f"{20 + i},{i * 7 % 23},{'ab'[i // 20]}\n" for i in range(40))
    (folder / "towns.csv").write_text(f"age,size,town\n{rows}")
    words = ["-c", "age,size", "-k", 4, "--confidential", "town", "--set", "homogeneity=noise"]
    for target in ("a.csv", "b.csv"):
        shell("mask", "towns.csv", target, *words, "--seed", 3)
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
