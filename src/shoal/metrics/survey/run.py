"""The function `survey_risk`: disclosure risk of a table that is a sample of a population."""

import warnings
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from shoal._text import count
from shoal.errors import InputError, ParameterError, ShoalWarning
from shoal.frame import tables
from shoal.frame.codes import text_codes, value_codes
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.weights import read_weights
from shoal.metrics._array_types import Labels, Values
from shoal.metrics._ranks import dense_ranks
from shoal.metrics.equivalence_classes import classes
from shoal.metrics.evaluation.inputs import check_assessed_columns, read_unit_codes
from shoal.metrics.subgroups import MIN_GROUP, Subgroups, SubgroupSplit, split_subgroups
from shoal.metrics.survey.individual_risk import (
    KeyFrequencies,
    household_risk,
    individual_risk,
    key_frequencies,
)
from shoal.metrics.survey.log_linear import LogLinearRisk, log_linear_risk
from shoal.metrics.survey.population_uniqueness import population_uniqueness
from shoal.metrics.survey.result import GROUP_FIGURES, SurveyRisk
from shoal.metrics.survey.suda import suda


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
        Column of survey weights, from which population frequencies are estimated; not used if there
        is a population.
    population : pandas, polars or pyarrow table, optional
        The whole population, with the same quasi-identifiers, in which frequencies are counted.
    sampling_fraction : float, optional
        Share of the population that is in the sample, in (0, 1]. By default, the number of records
        divided by the sum of the weights, or by the size of the population.
    household : str, optional
        Column that identifies households; their risk is then estimated too.
    max_size : int, optional
        Maximum size of minimal sample uniques; all sizes by default.
    by : str or list of str, optional
        Columns whose values form subgroups. Sample uniques, k-map and re-identifications are also
        computed for each group, the worst-off group first; models are fitted to the whole file.
    min_group : int
        Minimum number of records of a group that may be shown. Smaller groups are merged.

    Returns
    -------
    SurveyRisk
        Risks of each record and figures of the file.

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
    keys, frequencies, fraction = _read_frequencies(
        frame, names, weight, whole_population, sampling_fraction
    )
    if whole_population is None:
        risk = individual_risk(frequencies.sample, frequencies.population)
        remarks = _small_weight_warnings(frame, weight)
    else:
        risk = 1 / frequencies.population
        remarks = []
    for warning in remarks:
        warnings.warn(warning, stacklevel=2)
    risk_of_households = None
    if household is not None:
        risk_of_households = household_risk(risk, _households(frame, household))
    uniqueness = None
    minimal_uniques = None
    log_linear: dict[str, LogLinearRisk] = {}
    if fraction < 1:  # otherwise the table is the population
        uniqueness = population_uniqueness(np.bincount(classes(keys)), fraction)
        log_linear = _fit_models(keys, fraction)
        missing = np.column_stack([tables.has_missing(frame, [name]) for name in names])
        minimal_uniques = suda(keys, max_size=max_size, sampling_fraction=fraction, missing=missing)
    groups = None
    if by is not None:
        groups = _risk_by_group(split_subgroups([frame], by, min_group), frequencies, risk)
    return SurveyRisk(
        columns=tuple(names),
        sampling_fraction=fraction,
        frequencies=frequencies,
        risk=risk,
        household_risk=risk_of_households,
        uniqueness=uniqueness,
        log_linear=log_linear,
        suda=minimal_uniques,
        groups=groups,
        remarks=tuple(map(str, remarks)),
    )


def _risk_by_group(split: SubgroupSplit, frequencies: KeyFrequencies, risk: Values) -> Subgroups:
    """Return the figures of each subgroup that are sums, means or extremes over its records."""
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
    if weight is None and population is None and fraction is None:
        raise ParameterError(
            "Name a column of weights, a population or a sampling fraction: the risk depends on how"
            " many units of the population share a key.",
            code="population-needed",
        )
    if fraction is not None and not 0 < fraction <= 1:
        raise ParameterError(
            f"`sampling_fraction` must be above 0 and at most 1. Got {fraction!r} instead.",
            code="parameter-not-accepted",
            parameter="sampling_fraction",
        )
    n = len(frame)
    if population is not None:
        tables.check_columns(population, names)
        columns = [text_codes([frame, population], name) for name in names]
        keys, population_keys = (np.column_stack([codes[i] for codes in columns]) for i in (0, 1))
        frequencies = key_frequencies(keys, population=population_keys)
        return keys, frequencies, fraction or n / len(population)
    keys = value_codes(frame, names)
    if weight is not None:
        tables.check_columns(frame, [weight])
        weights = read_weights(frame, weight)
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
    n_small = 0 if weight is None else int((read_weights(frame, weight) < 1).sum())
    if not n_small:
        return []
    return [
        ShoalWarning(
            f"{count(n_small, 'record')} of {len(frame):,} have a weight below 1 in column"
            f" {weight!r}. A weight is the number of units of the population that a record"
            " represents, including the record itself. Check whether the weights were rescaled.",
            code="weights-below-one",
            column=weight,
            records=n_small,
        )
    ]


def _households(frame: Frame, name: str) -> Labels:
    """Return the household of each record, numbered from 0."""
    tables.check_columns(frame, [name])
    return dense_ranks(read_unit_codes(frame, name))


def _fit_models(keys: Labels, fraction: float) -> dict[str, LogLinearRisk]:
    """Return the risk by both models, or only by main effects if there are too many cells."""
    models = {"main": log_linear_risk(keys, fraction, "main")}
    with suppress(InputError):
        models["two-way"] = log_linear_risk(keys, fraction, "two-way")
    return models
