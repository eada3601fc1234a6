"""The function `survey_risk`: disclosure risk of a table that is a sample of a population."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._text import align_rows, count
from shoal.errors import InputError, ParameterError, ShoalWarning
from shoal.frame import tables
from shoal.frame.codes import text_codes, value_codes
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.metrics._base import Labels, Values
from shoal.metrics.anonymity import classes
from shoal.metrics.assessment_inputs import check_assessed_columns, read_unit_codes
from shoal.metrics.figures import flatten
from shoal.metrics.individual_risk import (
    KeyFrequencies,
    household_risk,
    individual_risk,
    key_frequencies,
)
from shoal.metrics.log_linear import LogLinearRisk, log_linear_risk
from shoal.metrics.population_uniqueness import PopulationUniqueness, population_uniqueness
from shoal.metrics.subgroups import MIN_GROUP, Subgroups, SubgroupSplit, split_subgroups
from shoal.metrics.suda import Suda, suda

# Figures of the file, by name; limits can be set on them.
FIGURES = (
    "sample_uniques", "k_map", "expected_reidentifications", "reidentification_rate",
    "greatest_risk", "expected_reidentifications_with_households", "population_uniqueness",
    "population_uniques", "correct_matches", "suda_dis",
)  # fmt: skip
GROUP_FIGURES = {  # figures that also exist by subgroup, with the values that are better
    "sample_uniques": "lower", "k_map": "higher", "expected_reidentifications": "lower",
    "reidentification_rate": "lower", "greatest_risk": "lower",
}  # fmt: skip
DISPLAY_NAMES = {
    "k_map": "k-map", "log_linear": "log-linear model", "suda": "SUDA", "dis": "DIS",
    "snb": "shifted negative binomial", "pitman": "Pitman", "zayatz": "Zayatz",
}  # fmt: skip
NOT_A_SAMPLE = "Not computed: the table is not a sample."


@dataclass(frozen=True, eq=False)
class SurveyRisk:
    """Risk of a sample, by record and for the file.

    Parameters
    ----------
    columns : tuple of str
        The quasi-identifiers.
    sampling_fraction : float
        Share of the population that is in the sample.
    frequencies : KeyFrequencies
        Frequency of each record's key in the sample and in the population.
    risk : ndarray of shape (n_records,)
        Individual risk of each record.
    household_risk : ndarray of shape (n_records,) or None
        Risk of each record's household; None without households.
    uniqueness : PopulationUniqueness or None
        Estimated share of the population that is unique; None for a census.
    log_linear : dict of str to LogLinearRisk
        Risk of sample uniques by model; empty for a census.
    suda : Suda or None
        Minimal sample uniques and scores; None for a census.
    groups : Subgroups or None
        Figures by subgroup.
    remarks : tuple of str
        Sentences on weights that cannot be numbers of units.
    """

    columns: tuple[str, ...]
    sampling_fraction: float
    frequencies: KeyFrequencies
    risk: Values
    household_risk: Values | None
    uniqueness: PopulationUniqueness | None
    log_linear: dict[str, LogLinearRisk]
    suda: Suda | None
    groups: Subgroups | None = None
    remarks: tuple[str, ...] = ()

    @property
    def expected_reidentifications(self) -> float:
        """Sum of the individual risks."""
        return float(self.risk.sum())

    def by_record(self) -> dict[str, NDArray[Any]]:
        """Return the risks of all records as columns; they are not for publication."""
        columns: dict[str, NDArray[Any]] = {
            "risk_sample_frequency": self.frequencies.sample,
            "risk_population_frequency": self.frequencies.population,
            "risk_individual": self.risk,
        }
        if self.household_risk is not None:
            columns["risk_household"] = self.household_risk
        if self.suda is not None:
            columns["risk_suda"] = self.suda.scores
            columns["risk_dis_suda"] = self.suda.dis_scores
        return columns

    def figures(self) -> dict[str, float]:
        """Return the figures of the file by name, for `Limits`; a model follows after a colon."""
        entries = self.to_dict()
        values: dict[str, Any] = {name: entries[name] for name in FIGURES if name in entries}
        if self.uniqueness is not None:
            values["population_uniqueness"] = self.uniqueness.estimate
        for model, risk in self.log_linear.items():
            values |= {
                f"population_uniques:{model}": risk.population_uniques,
                f"correct_matches:{model}": risk.correct_matches,
            }
        if self.suda is not None:
            values["suda_dis"] = self.suda.dis
        return flatten(values) | ({} if self.groups is None else self.groups.worst_figures())

    def reasons(self) -> dict[str, str]:
        """Return why figures were not computed, by name."""
        computed = {name.partition(":")[0] for name in self.figures()}
        reasons = {name: NOT_A_SAMPLE for name in FIGURES if name not in computed}
        if self.household_risk is None:
            households = "Not computed: needs a column of households."
            reasons["expected_reidentifications_with_households"] = households
        return reasons

    def __repr__(self) -> str:
        lines = [f"quasi-identifiers: {', '.join(self.columns)}"]
        listed_separately = ("quasi_identifiers", "groups")
        figures = {
            name: value for name, value in self.to_dict().items() if name not in listed_separately
        }
        lines.append(
            align_rows([[name, _format_figure(value)] for name, value in _display_rows(figures)])
        )
        lines += [] if self.groups is None else ["", str(self.groups)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures for the file as plain data, without those of single records."""
        n = len(self.risk)
        result: dict[str, Any] = {
            "quasi_identifiers": list(self.columns),
            "records": n,
            "sampling_fraction": self.sampling_fraction,
            "sample_uniques": int((self.frequencies.sample == 1).sum()),
            "k_map": self.frequencies.k_map,
            "expected_reidentifications": self.expected_reidentifications,
            "reidentification_rate": self.expected_reidentifications / n,
            "greatest_risk": float(self.risk.max()),
        }
        if self.household_risk is not None:
            total = float(self.household_risk.sum())
            result["expected_reidentifications_with_households"] = total
        if self.uniqueness is not None:
            estimates = {
                name: getattr(self.uniqueness, name) for name in ("zayatz", "pitman", "snb")
            }
            result["population_uniqueness"] = {
                "estimate": self.uniqueness.estimate,
                "model": self.uniqueness.chosen,
                **{name: None if np.isnan(value) else value for name, value in estimates.items()},
            }
        for model, risk in self.log_linear.items():
            result.setdefault("log_linear", {})[model] = {
                "population_uniques": risk.population_uniques,
                "correct_matches": risk.correct_matches,
            }
        if self.suda is not None:
            shares = self.suda.column_contributions.tolist()
            result["suda"] = {
                "dis": self.suda.dis,
                "records_with_score": int((self.suda.scores > 0).sum()),
                "minimal_sample_uniques": self.suda.sizes[1:].tolist(),
                "contributions": dict(zip(self.columns, shares, strict=True)),
            }
        if self.groups is not None:
            result["groups"] = self.groups.to_dict()
        return result


def _format_figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if value < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else DISPLAY_NAMES.get(value, value)


def _display_rows(content: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each figure, in words."""
    for name, value in content.items():
        readable = name.replace("_", " ").replace("reid", "re-id")
        display_name = f"{prefix}{DISPLAY_NAMES.get(name, readable)}"
        if isinstance(value, dict):
            yield from _display_rows(value, f"{display_name}, ")
        elif isinstance(value, list):
            yield from (
                (f"{display_name}, size {i}", number) for i, number in enumerate(value, 1) if number
            )
        elif value is not None:
            yield display_name, value


def survey_risk(
    data: IntoDataFrame,
    *,
    quasi_identifiers: Sequence[str],
    weight: str | None = None,
    population: IntoDataFrame | None = None,
    sampling_fraction: float | None = None,
    household: str | None = None,
    max_size: int | None = None,
    by: str | Sequence[str] | None = None,
    min_group: int = MIN_GROUP,
) -> SurveyRisk:
    """Estimate the disclosure risk of a table that is a sample.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The sample, before or after masking.
    quasi_identifiers : list of str
        Columns that an attacker may know, compared as categories. A missing value is a value of its
        own.
    weight : str, optional
        Column of survey weights, from which population frequencies are estimated.
    population : pandas, polars or pyarrow table, optional
        The whole population, with the same quasi-identifiers; frequencies are counted there.
    sampling_fraction : float, optional
        Share of the population that is in the sample. By default the number of records divided by
        the sum of the weights, or by the size of the population.
    household : str, optional
        Column of households.
    max_size : int, optional
        Greatest size of minimal sample uniques; all by default.
    by : str or list of str, optional
        Columns whose values form subgroups, for which sample uniques, k-map and re-identifications
        are shown too, the worst-off group first. Models concern the whole file.
    min_group : int
        Smallest number of records of a group that may be shown. Smaller groups are merged.

    Returns
    -------
    SurveyRisk
        Risks by record and for the file.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": list("ffm"), "job": list("aab"), "w": [180, 180, 215]})
    >>> risks = survey_risk(people, quasi_identifiers=["sex", "job"], weight="w")
    >>> risks.risk.round(4).tolist(), risks.frequencies.k_map
    ([0.0054, 0.0054, 0.0251], 215.0)
    """
    names = as_list(quasi_identifiers)
    check_assessed_columns(names, [])
    frame = tables.open_frame(data)
    tables.check_columns(frame, names)
    whole_population = None if population is None else tables.open_frame(population)
    if weight is None and whole_population is None and sampling_fraction is None:
        raise ParameterError(
            "Name a column of weights, a population or a sampling fraction: risk depends on how"
            " many units of the population share a key.",
            code="population-needed",
        )
    keys, frequencies, fraction = _read_frequencies(
        frame, names, weight, whole_population, sampling_fraction
    )
    risk = (
        1 / frequencies.population
        if whole_population is not None
        else individual_risk(frequencies.sample, frequencies.population)
    )
    used_weight = weight if whole_population is None else None
    remarks = _small_weight_warnings(frame, used_weight)
    for warning in remarks:
        warnings.warn(warning, stacklevel=2)
    households = None if household is None else _households(frame, household)
    is_sample = fraction < 1
    missing = np.column_stack([tables.has_missing(frame, [name]) for name in names])
    return SurveyRisk(
        tuple(names),
        fraction,
        frequencies,
        risk,
        None if households is None else household_risk(risk, households),
        population_uniqueness(np.bincount(classes(keys)), fraction) if is_sample else None,
        _fit_models(keys, fraction) if is_sample else {},
        suda(keys, max_size=max_size, sampling_fraction=fraction, missing=missing)
        if is_sample
        else None,
        None
        if by is None
        else _risk_by_group(split_subgroups([frame], by, min_group), frequencies, risk),
        tuple(map(str, remarks)),
    )


def _risk_by_group(split: SubgroupSplit, frequencies: KeyFrequencies, risk: Values) -> Subgroups:
    """Return the figures that are sums, means or maxima of records, by subgroup."""
    figures = []
    for group in split.groups:
        rows = group.rows[0]
        values = (
            (frequencies.sample[rows] == 1).sum(),
            frequencies.population[rows].min(),
            risk[rows].sum(),
            risk[rows].mean(),
            risk[rows].max(),
        )
        figures.append(dict(zip(GROUP_FIGURES, map(float, values), strict=True)))
    return Subgroups(split, tuple(figures), GROUP_FIGURES)


def _read_frequencies(
    frame: Frame,
    names: Sequence[str],
    weight: str | None,
    population: Frame | None,
    fraction: float | None,
) -> tuple[Labels, KeyFrequencies, float]:
    """Return the keys of the sample, their frequencies and the sampling fraction."""
    n = len(frame)
    if population is not None:
        tables.check_columns(population, names)
        columns = [text_codes([frame, population], name) for name in names]
        keys, population_keys = (np.column_stack([codes[i] for codes in columns]) for i in (0, 1))
        return (
            keys,
            key_frequencies(keys, population=population_keys),
            fraction or n / len(population),
        )
    keys = value_codes(frame, names)
    if weight is not None:
        tables.check_columns(frame, [weight])
        weights = tables.weights(frame, weight)
    else:
        assert fraction is not None
        weights = np.full(n, 1 / fraction)
    if weights.sum() < n:
        raise InputError(
            "The weights sum to less than the number of records. A weight is the number of units of"
            " the population that a record represents.",
            code="weights-unusable",
            column=weight,
        )
    return keys, key_frequencies(keys, weights), fraction or min(1.0, n / float(weights.sum()))


def _small_weight_warnings(frame: Frame, weight: str | None) -> list[ShoalWarning]:
    """Return a warning on survey weights below 1, if there are any."""
    n_small = 0 if weight is None else int((tables.weights(frame, weight) < 1).sum())
    if not n_small:
        return []
    return [
        ShoalWarning(
            f"{count(n_small, 'record')} of {len(frame):,} have a weight below 1 in column"
            f" {weight!r}. A weight is the number of units of the population that a record"
            " represents, itself included. Check whether the weights were rescaled.",
            code="weights-below-one",
            column=weight,
            records=n_small,
        )
    ]


def _households(frame: Frame, name: str) -> Labels:
    tables.check_columns(frame, [name])
    return np.unique(read_unit_codes(frame, name), return_inverse=True)[1].ravel()


def _fit_models(keys: Labels, fraction: float) -> dict[str, LogLinearRisk]:
    """Return the risk by both models; only by main effects where the table is too large."""
    models = {"main": log_linear_risk(keys, fraction, "main")}
    with suppress(InputError):
        models["two-way"] = log_linear_risk(keys, fraction, "two-way")
    return models
