"""The classes `Trial` and `Comparison`: plans that were run on one table, and their results."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal._text import count, format_percentage
from shoal.comparison.pareto import nearest_to_ideal, pareto_front, reason_to_recommend
from shoal.comparison.risks import RISKS
from shoal.errors import ShoalError
from shoal.frame import tables
from shoal.metrics import MEASURE_INFO
from shoal.plan import Plan


@dataclass(frozen=True, eq=False)
class Trial:
    """One plan of a comparison and its results.

    Parameters
    ----------
    plan : Plan
        The plan with its seeds; running it reproduces the result.
    method : str
        The methods that were used, as named in `shoal.METHODS`.
    measures : dict
        Measures that are a single number, by name; ``"reidentification"`` is the marketer risk,
        the share of the records that are linked correctly by an attacker who tries to link all.
    error : ShoalError, optional
        Why the plan could not be run; there are no measures then.
    verdict : str
        Status of the verdict on the release: ``"kept"``, ``"qualified"`` or ``"not kept"``.
    """

    plan: Plan
    method: str = ""
    measures: dict[str, float] = field(default_factory=dict)
    error: ShoalError | None = None
    verdict: str = ""

    @property
    def dependence(self) -> float:
        """The largest share of the confidential columns in the distances of a step."""
        return max(float(getattr(step, "dependence", 0.0)) for step in self.plan.steps)

    @property
    def planned_method(self) -> str:
        """The methods that the plan names."""
        steps = self.plan.to_dict()["steps"]
        return ", ".join(
            dict.fromkeys(str(step.get("partition", step)["method"]) for step in steps)
        )


@dataclass(frozen=True, eq=False)
class Comparison:
    """Trials on one table.

    Parameters
    ----------
    trials : tuple of Trial
        The trials, in the order of the plans.
    risk : str
        The measure of risk.
    backend : str
        Library of the table, for `to_frame`.
    """

    trials: tuple[Trial, ...]
    risk: str
    backend: str = "pandas"

    @property
    def done(self) -> list[Trial]:
        """The trials that could be run."""
        return [trial for trial in self.trials if trial.error is None]

    @property
    def front(self) -> list[Trial]:
        """The trials on the Pareto front of loss and risk, sorted by loss."""
        return pareto_front({trial: self._point(trial) for trial in self.done})

    @property
    def recommended(self) -> Trial | None:
        """The trial to start from: the closest on the Pareto front to least loss and least risk.

        Loss and risk are scaled to [0, 1] between their minimum and maximum on the front. Trials
        whose verdict is "not kept" are never recommended; None if there are no others.
        """
        points = {trial: self._point(trial) for trial in self.front if trial.verdict != "not kept"}
        return nearest_to_ideal(points) if points else None

    @property
    def reason(self) -> str:
        """Why `recommended` is recommended, in a sentence."""
        trial = self.recommended
        if trial is None:
            return "No run on the Pareto front keeps its guarantee."
        why = reason_to_recommend(len({self._point(trial) for trial in self.front}))
        loss, risk = trial.measures["information_loss"], trial.measures[self.risk]
        figures = f"information loss {format_percentage(loss)}, {RISKS[self.risk].clause(risk)}"
        return f"{why}: {figures}."

    def to_frame(self) -> Any:
        """Return a table with a row for each trial, in the library of the compared table.

        Returns
        -------
        pandas, polars or pyarrow table
            The run, its method, k, dependence, verdict, whether it is on the Pareto front and
            whether it is recommended, all measures that are a single number, and the error of a
            trial that could not be run.
        """
        front = {id(trial) for trial in self.front}
        best = self.recommended
        columns: dict[str, list[Any]] = {
            "run": list(range(1, len(self.trials) + 1)),
            "method": [trial.method or trial.planned_method for trial in self.trials],
            "k": [trial.plan.k for trial in self.trials],
            "dependence": [trial.dependence for trial in self.trials],
            "verdict": [trial.verdict for trial in self.trials],
            "pareto_front": [id(trial) in front for trial in self.trials],
            "recommended": [trial is best for trial in self.trials],
        }
        for name in dict.fromkeys(name for trial in self.trials for name in trial.measures):
            columns[name] = [trial.measures.get(name) for trial in self.trials]
        columns["error"] = [str(trial.error) if trial.error else "" for trial in self.trials]
        return tables.to_native(tables.new_frame(columns, self.backend))

    def plot(self) -> Any:
        """Draw the risk-utility map with matplotlib, which the extra ``plots`` installs.

        Returns
        -------
        matplotlib.figure.Figure
            Information loss against risk, with the Pareto front and the recommended trial.
        """
        from shoal.report.plots import plot_comparison  # see docs/architecture.md

        return plot_comparison(self)

    def save(self, folder: str | Path, *, source: str = "", force: bool = False) -> None:
        """Write the page, the map, the tables and the plan of each trial to ``folder``.

        The page names the ``source``, the file that the plans were tried on.
        """
        from shoal.report.comparison import write_comparison  # see docs/architecture.md

        write_comparison(self, Path(folder), source=source, force=force)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import comparison_html  # see docs/architecture.md

        return comparison_html(self)

    def __repr__(self) -> str:
        failed = len(self.trials) - len(self.done)
        return (
            f"Comparison({count(len(self.trials), 'trial')}, {len(self.front)} on the Pareto front"
            f" of loss and {self.risk}{f', {failed} could not be run' if failed else ''})"
        )

    def _point(self, trial: Trial) -> tuple[float, float]:
        """Return loss and risk, each as a number of which less is better."""
        sign = -1 if MEASURE_INFO[self.risk].better == "higher" else 1
        return trial.measures["information_loss"], sign * trial.measures[self.risk]
