"""The page on quality shows the committed measurements, and refine reproduces them."""

import importlib.util
import json
from pathlib import Path

import pytest

from shoal.partitioners import MDAV
from shoal.partitioners._local_search.refine import refine
from tables import loss

ROOT = Path(__file__).parents[1]
ENTRIES = json.loads((ROOT / "docs" / "quality.json").read_text())
BOUNDS = json.loads((ROOT / "docs" / "bounds.json").read_text())
REFINED = [entry for entry in ENTRIES if entry["effort"] == "refine"]


def benchmark():
    spec = importlib.util.spec_from_file_location("quality", ROOT / "benchmarks" / "quality.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_the_measurements():
    assert (ROOT / "docs" / "quality.md").read_text() == benchmark().page(ENTRIES, BOUNDS)


@pytest.mark.parametrize("entry", REFINED, ids=lambda entry: f"{entry['table']}-{entry['k']}")
def test_refine_gives_the_loss_on_the_page(reference, entry):
    quality = benchmark()
    is_random = entry["table"] in quality.RANDOM
    X = quality.table(entry["table"]) if is_random else reference(entry["table"])
    labels = refine(X, MDAV(k=entry["k"]).fit_predict(X), entry["k"])
    assert loss(X, labels) == pytest.approx(entry["loss"], rel=1e-4)


@pytest.mark.parametrize("entry", REFINED, ids=lambda entry: f"{entry['table']}-{entry['k']}")
def test_a_reference_table_loses_no_more_than_by_the_prototype(entry):
    quality = benchmark()
    if entry["table"] in quality.REFERENCE:
        position = quality.SIZES.index(entry["k"])
        prototype_loss = float(quality.PROTOTYPE[entry["table"]][0][position])
        assert entry["loss"] <= prototype_loss
