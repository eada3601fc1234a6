"""The contents of the pages on methods and measures are correct."""

import ast
import re
from inspect import getdoc

import numpy as np
import pytest

import markdown_pages
from making import docstrings, draw, example, figures, ideas
from shoal.metrics import MEASURES
from shoal.partitioners import METHODS

ROOT = markdown_pages.ROOT
SIZES = {"k to 2k - 1": lambda k: 2 * k - 1, "k to 3k - 2": lambda k: 3 * k - 2}


@pytest.mark.parametrize("method", METHODS)
def test_a_docstring_states_steps_guarantee_and_cost(method):
    notes = docstrings.notes(METHODS[method])
    assert list(notes)[:3] == ["Steps", "Guarantee", "Cost"]
    assert re.match(r"1\. ", notes["Steps"])
    assert all(text.endswith(".") for text in notes.values())


def guarantee(method):
    return docstrings.notes(METHODS[method])["Guarantee"].replace("\n", " ")


@pytest.mark.parametrize(
    ("method", "words"),
    [(method, words) for method in METHODS for words in SIZES if words in guarantee(method)],
)
def test_groups_have_the_sizes_that_the_docstring_says(method, words):
    said, most = guarantee(method), SIZES[words]
    rng = np.random.default_rng(7)
    for trial in range(60):
        k = int(rng.integers(2, 6))
        X = rng.integers(0, 5, (int(rng.integers(k, 50)), 2)).astype(float)
        X += 0.1 * rng.normal(size=X.shape) * (trial % 2)
        sizes = METHODS[method](k=k).fit(X).partition_.sizes
        assert sizes.max() <= most(k)
        assert "the last one" not in said or (sizes != k).sum() <= 1


def test_a_paper_is_spelled_out_the_same_way_everywhere():
    papers = docstrings.papers(ROOT / "src" / "shoal")
    assert {key: texts for key, texts in papers.items() if len(texts) > 1} == {}


@pytest.mark.parametrize("thing", [*METHODS.values(), *MEASURES.values()], ids=lambda t: t.__name__)
def test_every_paper_that_is_cited_is_spelled_out(thing):
    assert set(docstrings.keys(thing)) <= set(docstrings.papers(ROOT / "src" / "shoal"))
    cited = set(re.findall(r"\.\. \[(\w+)\]", getdoc(thing)))
    assert set(docstrings.keys(thing)) == cited


@pytest.mark.parametrize("method", figures.ELSEWHERE)
def test_figures_from_elsewhere_are_those_that_the_tests_find(method):
    path = ROOT / "tests" / "partitioners" / f"test_{method}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (tested,) = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "PUBLISHED"
    ]
    tables = list(tested.values()) if isinstance(next(iter(tested.values())), dict) else [tested]
    shown = [
        {k: float(text) for k, text in row.items()} for row in figures.ELSEWHERE[method].values()
    ]
    assert shown == tables


def test_every_row_of_a_paper_that_is_a_method_is_shown_once():
    shown = "\n".join(figures.of_method(ROOT, method) for method in METHODS)
    for page, rows in figures.ROWS.items():
        for row in rows:
            assert re.search(rf"(?m)^\| (.*, )?{re.escape(row)}(, \w+)? \| published", shown), page


def test_rows_of_papers_are_the_methods_that_the_reproduction_runs():
    from reproduction import cv_mdav, two_mu_approx
    from reproduction.mu_approx import losses

    assert figures.ROWS["cv-mdav"] == cv_mdav.METHODS
    assert figures.ROWS["two-mu-approx"] == two_mu_approx.METHODS
    assert losses.METHODS.items() <= figures.ROWS["mu-approx"].items()


@pytest.mark.parametrize("measure", figures.MEASURED)
def test_links_to_figures_of_a_measure_are_found(measure):
    assert measure in MEASURES
    assert figures.of_measure(ROOT, measure).startswith("- [")


def farthest_anywhere(points):
    """Return the points that alone are the farthest in some direction, by trying many."""
    angles = np.linspace(0, 2 * np.pi, 1440, endpoint=False) + 0.001
    reach = np.unique(points, axis=0) @ np.array([np.cos(angles), np.sin(angles)])
    return {tuple(np.unique(points, axis=0)[i]) for i in reach.argmax(axis=0)}


@pytest.mark.parametrize("seed", range(40))
def test_a_hull_has_the_corners_and_no_others_and_goes_round_once(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (int(rng.integers(1, 9)), 2)).astype(float)
    corners = draw.hull(points)
    assert {tuple(corner) for corner in corners} == farthest_anywhere(points)
    assert len(corners) == len(farthest_anywhere(points))
    middle = np.mean(corners, axis=0)
    turns = np.unwrap([np.arctan2(*(corner - middle)[::-1]) for corner in corners])
    assert len(corners) < 3 or (np.diff(turns) > 0).all()


def test_the_example_is_masked_by_means_and_its_loss_is_the_measure():
    labels, X = example.grouped("mdav").labels_, example.table()
    masked = example.masked(labels, X)
    for group in range(labels.max() + 1):
        assert np.allclose(masked[labels == group], X[labels == group].mean(axis=0))
    assert example.loss(labels) == pytest.approx(MEASURES["information_loss"](X, masked))
    assert example.loss(labels) >= example.least(example.K)


def test_every_idea_belongs_to_a_method():
    assert set(ideas.IDEAS) <= set(METHODS)
