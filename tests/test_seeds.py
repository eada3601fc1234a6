"""Seeds: drawn at random, of 128 bits, and shown only in the manifest."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import shoal
from shoal import Plan
from shoal._params import signature_parameters
from shoal._seeds import SEED_BITS, DrawnSeed, draw_seed
from shoal.cli import app
from shoal.metrics.rounding import round_floats_for_display
from shoal.partitioners import MuApprox, Search
from shoal.report.html import render
from shoal.report.summary import summarise
from shoal.report.text import whole_text
from shoal.steps import STEPS, AddNoise, Hybridise, Microaggregate, Pram, RankSwap, Round, Swap

KNOWN = ["surface", "employees"]  # to an attacker
ROLES = {"company": "identifier", "turnover": "confidential", "net_profit": "confidential"}
DRAWING_STEPS = {
    "add-noise": lambda **seed: AddNoise(KNOWN, 0.3, **seed),
    "hybridise": lambda **seed: Hybridise(KNOWN, MuApprox(k=3, **seed), **seed),
    "microaggregate": lambda **seed: Microaggregate(
        KNOWN, MuApprox(k=3, **seed), homogeneity="noise", **seed
    ),
    "pram": lambda **seed: Pram(KNOWN, stay=0.5, **seed),
    "rank-swap": lambda **seed: RankSwap(KNOWN, 20.0, **seed),
    "round": lambda **seed: Round(KNOWN, 50.0, mode="random", **seed),
    "swap": lambda **seed: Swap(KNOWN, MuApprox(k=3, **seed), **seed),
}
every_drawing_step = pytest.mark.parametrize("name", DRAWING_STEPS)
pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def plan_of(name, **seed):
    return Plan(ROLES, [DRAWING_STEPS[name](**seed)])


def floats(part):
    """Return all floats in plain data."""
    if isinstance(part, dict):
        return [x for name, entry in part.items() if name != "edges" for x in floats(entry)]
    if isinstance(part, list | tuple):
        return [x for entry in part for x in floats(entry)]
    return [part] if isinstance(part, float) else []


def test_all_steps_that_draw_are_tested():
    drawing = {name for name, cls in STEPS.items() if "random_state" in signature_parameters(cls)}
    assert drawing == set(DRAWING_STEPS)


def test_a_drawn_seed_has_128_bits_and_is_not_shown():
    seeds = {draw_seed() for _ in range(50)}
    assert len(seeds) == 50
    assert 2 ** (SEED_BITS - 9) < max(seeds) < 2**SEED_BITS == 2**128
    for seed in seeds:
        assert not re.search(r"\d", f"{seed} {seed!r} {[seed]} {seed}")


@every_drawing_step
def test_printing_a_release_shows_no_seed(name):
    release = plan_of(name).run(shoal.datasets.sme())
    assert all(isinstance(seed, DrawnSeed) for seed in release.drawn_seeds)
    shown = [release, release.plan, release.plan.steps, release.plan.to_dict(), release.drawn_seeds]
    for text in map(str, [*shown, *map(repr, shown)]):
        assert not any(str(int(seed)) in text for seed in release.drawn_seeds)


@every_drawing_step
@pytest.mark.parametrize("audience", ["public", "internal"])
def test_no_report_shows_a_drawn_seed(name, audience):
    release = plan_of(name).run(shoal.datasets.sme())
    summary = summarise(release, audience)
    text = json.dumps(summary) + render(summary) + whole_text(summary)
    assert release.drawn_seeds
    assert not any(str(int(seed)) in text for seed in release.drawn_seeds)


@every_drawing_step
def test_a_public_report_has_few_digits(name):
    release = plan_of(name).run(shoal.datasets.sme())
    public = floats(summarise(release))
    assert len(public) > 10
    assert all(float(f"{value:.6g}") == value for value in public)
    assert any(float(f"{value:.4g}") != value for value in floats(summarise(release, "internal")))
    exact = [value for value in floats(release.measures) if float(f"{value:.6g}") != value]
    text = json.dumps(summarise(release)) + render(summarise(release))
    assert exact
    assert not any(repr(value) in text for value in exact)


def test_a_public_report_of_noise_rounds_the_ratio_of_deviations():
    release = plan_of("add-noise").run(shoal.datasets.sme())
    actual = {entry["name"]: entry["value"] for entry in summarise(release)["measures"]}
    for column, ratio in release.measures["std_ratio"].items():
        assert actual["std_ratio"][column] == round_floats_for_display(ratio) != ratio


@every_drawing_step
@pytest.mark.parametrize("options", [[], ["-q"], ["--json"], ["--audience", "internal", "--json"]])
def test_the_command_line_shows_no_seed_and_the_manifest_repeats_the_release(
    name, options, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shoal.datasets.sme().to_csv("in.csv", index=False)
    plan_of(name).save("plan.toml")
    files = ["--report", "report.html", "--manifest", "manifest.json"]
    result = CliRunner().invoke(app, ["run", "plan.toml", "in.csv", "out.csv", *files, *options])
    assert result.exit_code == 0, result.output
    entries = json.loads((tmp_path / "manifest.json").read_text())
    step = entries["plan"]["steps"][0]
    seeds = {step["random_state"]} | {step.get("partition", {}).get("random_state")} - {None}
    page = (tmp_path / "report.html").read_text()
    for seed in seeds:
        assert seed.bit_length() > 64
        assert str(seed) not in result.output + result.stderr + page
    again = CliRunner().invoke(
        app, ["verify", "out.csv", "--manifest", "manifest.json", "--original", "in.csv"]
    )
    assert again.exit_code == 0, again.output


@every_drawing_step
def test_a_saved_plan_leaves_drawn_seeds_out_unless_they_are_asked_for(name, tmp_path):
    data = shoal.datasets.sme()
    release = plan_of(name).run(data)
    for ending in ("toml", "json"):
        release.plan.save(tmp_path / f"open.{ending}")
        assert Plan.load(tmp_path / f"open.{ending}") == plan_of(name)
        release.plan.save(tmp_path / f"key.{ending}", drawn_seeds=True)
        again = Plan.load(tmp_path / f"key.{ending}")
        assert again == release.plan
        assert again.run(data).data.equals(release.data)
    plan_of(name, random_state=7).save(tmp_path / "given.toml")  # its author wrote that one
    assert Plan.load(tmp_path / "given.toml") == plan_of(name, random_state=7)


@every_drawing_step
@pytest.mark.parametrize("seed", [0, 2**31 - 1, 2**64, 2**128 - 1, 10**400])
def test_a_seed_of_any_size_repeats_a_release(name, seed):
    first, again = (plan_of(name, random_state=seed).run(shoal.datasets.sme()) for _ in "ab")
    assert first.data.equals(again.data)
    assert first.drawn_seeds == ()


@pytest.mark.parametrize("cls", [MuApprox, Search])
def test_methods_that_draw_take_seeds_of_any_size(cls):
    X = np.random.default_rng(0).normal(size=(60, 2))
    for seed in (5, 2**128 - 1, 10**400):
        first, second = (cls(k=3, random_state=seed).fit(X).labels_ for _ in "ab")
        assert np.array_equal(first, second)


def test_a_short_seed_draws_what_it_always_drew():
    data = shoal.datasets.sme()
    release = plan_of("add-noise", random_state=123).run(data)
    draws = np.random.default_rng(123).standard_normal((len(data), 2))
    X = data[KNOWN].to_numpy(float)
    noise = np.sqrt(0.3) * draws @ np.diag(X.std(axis=0))
    assert release.data[KNOWN].to_numpy() == pytest.approx(X + noise)
