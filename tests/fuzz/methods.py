"""Random methods of grouping and their options: cheap ones often, all of them now and then."""

from typing import Any

import numpy as np

from fuzz.columns import Rng

# How often each is drawn; what takes seconds, or a solver, is rare.
WEIGHTS = {
    "mdav": 6, "auto": 3, "mdav1": 2, "mdav2": 2, "centroid-mdav": 2, "md": 2, "vmdav": 2,
    "mdav-classic": 2, "mhm": 1.5, "threshold": 1.5,
    "cvmdav": 2, "dba1": 2, "dba2": 2, "tfrp": 2, "sorted": 2, "univariate": 2, "lloyd": 1.5,
    "mst": 2, "mward": 1.5, "mu-approx": 1.5, "two-mu-approx": 1, "blocked": 1.5, "refine": 1.5,
    "search": 0.4, "optimal": 0.25, "prove": 0.15,
}  # fmt: skip
SHORT = {"optimal": 24, "prove": 24, "search": 60}  # longer tables get another method


def draw_partition(rng: Rng, k: int, n: int, columns: int) -> dict[str, Any]:
    """Draw the ``partition`` of a step."""
    names = [name for name in WEIGHTS if n <= SHORT.get(name, n)]
    weights = np.array([WEIGHTS[name] for name in names], float)
    method = str(names[rng.choice(len(names), p=weights / weights.sum())])
    if method == "two-mu-approx" and rng.random() < 0.95:
        k = 2
    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        options = _options(rng, method, columns)
    if method in ("search", "prove"):
        options["random_state"] = int(rng.integers(1000))
    if method == "search":
        options["rounds"] = 2.0
    if method == "prove":
        options["budget"] = 2.0
    if method == "mu-approx" and rng.random() < 0.9:
        options["random_state"] = int(rng.integers(1000))
    if method == "blocked" or (n > 12 and rng.random() < 0.02):
        options["block_size"] = int(rng.integers(2 * k, 2 * k + 20))
    elif method in ("mdav", "mdav2", "sorted", "lloyd") and rng.random() < 0.05:
        options["effort"] = "refine"
    return {"method": method, "k": k, **options}


def _options(rng: Rng, method: str, columns: int) -> dict[str, Any]:
    def one_of(*choices: Any) -> Any:
        return choices[int(rng.integers(len(choices)))]

    first = int(rng.integers(columns))
    return {
        "cvmdav": lambda: {"gamma": one_of(0.0, 0.5, 2.0)},
        "vmdav": lambda: {"gamma": one_of(0.0, 0.5, 2.0, "auto")},
        "lloyd": lambda: {"start": one_of("best", "dba2", "mdav2", "tfrp")},
        "mward": lambda: {
            "start": one_of("max-distance", "first-component", "sum-of-z", first),
            "descending": one_of(True, False),
        },
        "sorted": lambda: {
            "by": one_of("first-component", "sum-of-z", first),
            "descending": one_of(True, False),
            "loadings": one_of("exact", "rounded"),
        },
        "tfrp": lambda: {"phases": one_of(1, 2)},
        "univariate": lambda: {"order": one_of("first-component", "sum-of-z", first)},
    }.get(method, dict)()
