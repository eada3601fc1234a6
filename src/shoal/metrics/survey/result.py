"""The result of `survey_risk`: risks of records, and figures of the file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._text import align_rows
from shoal.metrics._array_types import Values
from shoal.metrics.limits.figure_names import flatten_figures
from shoal.metrics.subgroups import Subgroups
from shoal.metrics.survey.individual_risk import KeyFrequencies
from shoal.metrics.survey.log_linear import LogLinearRisk
from shoal.metrics.survey.population_uniqueness import PopulationUniqueness
from shoal.metrics.survey.suda import Suda

# Figures of the file, by name; limits can be set on them.
FIGURES = (
    "sample_uniques", "k_map", "expected_reidentifications", "reidentification_rate",
    "greatest_risk", "expected_reidentifications_with_households", "population_uniqueness",
    "population_uniques", "correct_matches", "suda_dis",
)  # fmt: skip
GROUP_FIGURES = {  # figures that also exist by subgroup, and whether lower or higher is better
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
        Risk of each record's household, or None without households.
    uniqueness : PopulationUniqueness or None
        Estimated share of the population that is unique, or None for a census.
    log_linear : dict of str to LogLinearRisk
        Risk of sample uniques by model, or an empty dict for a census.
    suda : Suda or None
        Minimal sample uniques and scores, or None for a census.
    groups : Subgroups or None
        Figures by subgroup, if subgroups were requested.
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
        """Return the risks of all records as columns, which must not be published."""
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
        """Return the figures of the file by name, for `Limits`; a model follows a colon."""
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
        return flatten_figures(values) | (
            {} if self.groups is None else self.groups.worst_figures()
        )

    def reasons(self) -> dict[str, str]:
        """Return why figures were not computed, by name."""
        computed = {name.partition(":")[0] for name in self.figures()}
        reasons = {name: NOT_A_SAMPLE for name in FIGURES if name not in computed}
        if self.household_risk is None:
            reasons["expected_reidentifications_with_households"] = (
                "Not computed: needs a column of households."
            )
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
        """Return the figures of the file as plain data, without the risks of single records."""
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
            contributions = self.suda.column_contributions.tolist()
            result["suda"] = {
                "dis": self.suda.dis,
                "records_with_score": int((self.suda.scores > 0).sum()),
                "minimal_sample_uniques": self.suda.sizes[1:].tolist(),
                "contributions": dict(zip(self.columns, contributions, strict=True)),
            }
        if self.groups is not None:
            result["groups"] = self.groups.to_dict()
        return result


def _format_figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if value < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else DISPLAY_NAMES.get(value, value)


def _display_rows(content: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name, in words, and the value of each figure; parts follow the name and a comma."""
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
