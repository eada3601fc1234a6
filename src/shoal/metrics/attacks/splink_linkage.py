"""Probabilistic linkage by the package splink, to confirm `probabilistic_linkage`."""

import logging
import warnings
from typing import Any

import numpy as np

from shoal.errors import MissingDependency
from shoal.frame.conversion import arrow_from_arrays
from shoal.metrics._array_types import Codes, Counts, Labels, Matrix, Rows, Values
from shoal.metrics.attacks._setting import AttackSetting
from shoal.metrics.attacks.linkage import NOT_ALIGNED, correct_records, linkage_result
from shoal.metrics.attacks.probabilistic_linkage import CLOSE_AGREEMENT, PARTIAL_AGREEMENT
from shoal.metrics.attacks.result import AttackResult

MAX_PAIRS = 2_000_000  # pairs of a target and a class, all of which are compared
MIN_TARGETS = 50  # if fewer targets could be attacked, none is
EXACT_AGREEMENT = 1e-9  # standard deviations within which numbers are equal up to rounding
WEIGHT_TOLERANCE = 1e-6  # match weights that differ by less are equal up to rounding


def splink_linkage(setting: AttackSetting) -> AttackResult | str:
    """Link each target with the released record of the largest match weight of splink.

    The levels of agreement are the same as in `probabilistic_linkage`. Splink estimates the shares
    of matching and of other pairs at each level, and computes the weight of all pairs of a target
    and a class. If there are more than two million pairs, fewer targets are attacked.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out.
    """
    if not setting.aligned:
        return NOT_ALIGNED
    names = setting.quasi_identifiers
    released_classes = setting.classes(names)
    n_targets = min(len(setting.targets), MAX_PAIRS // len(released_classes.sizes))
    min_targets = min(MIN_TARGETS, len(setting.targets))
    if n_targets < min_targets:
        return (
            f"{len(released_classes.sizes):,} classes and {min_targets} targets make more than"
            f" {MAX_PAIRS:,} pairs."
        )
    rows = setting.targets[:n_targets]
    if n_targets < len(setting.targets):
        rng = setting.rng("linkage-splink")
        rows = setting.targets[np.sort(rng.choice(len(setting.targets), n_targets, replace=False))]
    table, targets = setting.points(names, rows, "original", "values")
    linker = _linker(
        _splink_columns(*targets),
        _splink_columns(*table),
        setting.n_released,
        setting.options.n_jobs,
    )
    weights = _match_weights(linker, setting.options.seed, n_targets, len(released_classes.sizes))
    starts, records = correct_records(setting, rows)
    correct_classes = released_classes.labels[records]
    chances = _link_chances(weights, starts, correct_classes, released_classes.sizes)
    return linkage_result(setting, "linkage-splink", chances)


def _splink_columns(numbers: Matrix, codes: Codes) -> dict[str, Any]:
    """Return a table for splink: an identifier, numbers and codes of categories."""
    return {
        "unique_id": np.arange(len(numbers)),
        **{f"number_{i}": column for i, column in enumerate(numbers.T)},
        **{f"code_{i}": column for i, column in enumerate(codes.T)},
    }


def _linker(targets: dict[str, Any], classes: dict[str, Any], n_released: int, n_jobs: int) -> Any:
    """Return splink's linker of two tables, on a database in memory."""
    try:
        import duckdb
        from splink import DuckDBAPI, Linker, SettingsCreator
    except ImportError:
        raise MissingDependency(
            "Linkage by splink needs the package splink: pip install 'shoal[splink]'.",
            code="package-missing",
            extra="splink",
        ) from None
    database = DuckDBAPI(duckdb.connect(config={"threads": n_jobs}))
    tables = [
        database.register(arrow_from_arrays(columns), dataset_display_name=name)
        for name, columns in (("a_targets", targets), ("b_released", classes))
    ]
    every_pair: list[Any] = ["1=1"]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[_comparison(name) for name in targets if name != "unique_id"],
        blocking_rules_to_generate_predictions=every_pair,
        probability_two_random_records_match=1 / n_released,
        retain_matching_columns=False,
    )
    return Linker(tables, settings, log_level=logging.ERROR)


def _comparison(name: str) -> dict[str, Any]:
    """Return the levels of agreement of a column, as splink declares them."""
    left, right = f"{name}_l", f"{name}_r"
    conditions = [f"{left} = {right}"]
    if name.startswith("number"):
        conditions = [
            f"abs({left} - {right}) <= {tolerance}"
            for tolerance in (EXACT_AGREEMENT, CLOSE_AGREEMENT, PARTIAL_AGREEMENT)
        ]
    missing: dict[str, Any] = {
        "sql_condition": f"{left} IS NULL OR {right} IS NULL",
        "is_null_level": True,
    }
    levels: list[dict[str, Any]] = [
        missing,
        *({"sql_condition": condition} for condition in [*conditions, "ELSE"]),
    ]
    return {
        "output_column_name": name,
        "comparison_levels": [
            {**level, "label_for_charts": str(i)} for i, level in enumerate(levels)
        ],
    }


def _match_weights(linker: Any, seed: int, n_targets: int, n_classes: int) -> Matrix:
    """Return the match weight of each pair of a target and a class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # splink warns of levels that no pair reaches
        training = linker.training
        training.estimate_u_using_random_sampling(max_pairs=MAX_PAIRS, seed=seed % 2**31)
        training.estimate_parameters_using_expectation_maximisation(
            "1=1", record_sample_proportion=1.0, fix_probability_two_random_records_match=True
        )
        pairs = linker.inference.predict().as_pyarrow_table()
    weights = np.full((n_targets, n_classes), -np.inf)
    left, right = (pairs[f"unique_id_{side}"].to_numpy() for side in "lr")
    weights[left, right] = pairs["match_weight"].to_numpy()
    return weights


def _link_chances(weights: Matrix, starts: Rows, correct_classes: Labels, sizes: Counts) -> Values:
    """Return the chance of a correct link for each target; ties are drawn at random.

    The classes of the right records of target i are ``correct_classes[starts[i]:starts[i + 1]]``.
    """
    is_tied = weights >= (weights.max(axis=1) - WEIGHT_TOLERANCE)[:, np.newaxis]
    target_of_record = np.repeat(np.arange(len(weights)), np.diff(starts))
    n_correct = np.bincount(
        target_of_record, is_tied[target_of_record, correct_classes], len(weights)
    )
    return np.asarray(n_correct / np.maximum(is_tied @ sizes, 1))
