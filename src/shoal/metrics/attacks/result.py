"""The results of attacks: success rate, baseline, confidence interval and ceiling."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal._text import align_rows, text_width
from shoal.frame.roles import RECORD_UNIT
from shoal.metrics._confidence_intervals import wilson_interval
from shoal.metrics.evaluation.results_by_name import ResultsByName
from shoal.metrics.limits.figure_names import attack_figure_names
from shoal.metrics.subgroups import Subgroups

# A rate that exceeds its ceiling by a smaller share equals it up to rounding.
CEILING_TOLERANCE = 1e-9


@dataclass(frozen=True)
class AttackResult:
    """Success of one attack on a release.

    Parameters
    ----------
    name : str
        Name of the attack in `shoal.metrics.attacks.ATTACKS`; inference adds the column after a
        colon.
    successes : float
        Number of successful attacks. If the attacker draws among equally good candidates, the
        chance of success counts.
    trials : int
        Number of attacks.
    baseline : float
        Success rate that is not due to the release: the rate of the same attack on a control table,
        if there is one, or the rate of a simple guess.
    baseline_of : str
        What the baseline is the rate of, in words.
    columns : tuple of str
        Columns that the attack uses.
    ceiling : float or None
        Maximum success rate that is possible with k-anonymity, or None if it implies no limit.
    ceiling_reason : str
        Why the ceiling holds, or why there is none.
    remark : str
        What readers need to know besides the figures, or an empty string.
    """

    name: str
    successes: float
    trials: int
    baseline: float
    baseline_of: str
    columns: tuple[str, ...] = ()
    ceiling: float | None = None
    ceiling_reason: str = ""
    remark: str = ""

    @property
    def rate(self) -> float:
        """Share of the attacks that succeed, in [0, 1]."""
        return self.successes / self.trials if self.trials else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson confidence interval of the rate, at 95 %."""
        return wilson_interval(self.successes, self.trials)

    @property
    def excess(self) -> float:
        """Rate minus baseline: what the release adds to the success of an attacker."""
        return self.rate - self.baseline

    @property
    def exceeds_ceiling(self) -> bool:
        """Whether the rate is above the ceiling, which then does not hold.

        Rates are means of chances, each of which is at most the ceiling if it holds. A rate above
        the ceiling is therefore not due to chance, whatever its confidence interval.
        """
        return self.ceiling is not None and self.rate > self.ceiling * (1 + CEILING_TOLERANCE)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "attack": self.name,
            "rate": self.rate,
            "interval": list(self.interval),
            "baseline": self.baseline,
            "baseline_of": self.baseline_of,
            "excess": self.excess,
            "ceiling": self.ceiling,
            "ceiling_reason": self.ceiling_reason,
            "exceeds_ceiling": self.exceeds_ceiling,
            "attacks": self.trials,
            "columns": list(self.columns),
            "remark": self.remark,
        }


class Attacks(ResultsByName[AttackResult]):
    """Results of several attacks by name, with the reasons why others were not carried out.

    Parameters
    ----------
    results : list of AttackResult
        The attacks that were carried out.
    not_run : mapping of str to str
        Why other attacks were not carried out, by name.
    k : int
        Size of the smallest class on the released quasi-identifiers, counted in units.
    unit : str
        ``"record"``, or the column whose values are counted.
    seed : int
        Seed of all random numbers.
    remarks : tuple of str
        Sentences that apply to all attacks, for example on columns that were left out.
    groups : Subgroups, optional
        Rates and excesses by subgroup of the targets.
    """

    def __init__(
        self,
        results: list[AttackResult],
        not_run: Mapping[str, str],
        *,
        k: int,
        unit: str,
        seed: int,
        remarks: tuple[str, ...] = (),
        groups: Subgroups | None = None,
    ):
        super().__init__(results, not_run)
        self.k = k
        self.unit = unit
        self.seed = seed
        self.remarks = remarks
        self.groups = groups

    @property
    def exceeded(self) -> tuple[str, ...]:
        """Names of the attacks whose rate is above their ceiling, for all targets or in a group."""
        groups = () if self.groups is None else self.groups.results
        all_results = [*self.results, *(result for group in groups for result in group.results)]
        return tuple(dict.fromkeys(result.name for result in all_results if result.exceeds_ceiling))

    @property
    def counted(self) -> str:
        """What k counts, in words."""
        return "records" if self.unit == RECORD_UNIT else f"distinct values of {self.unit!r}"

    def figures(self) -> dict[str, float]:
        """Return rates and excesses by name, for `Limits`; a column follows a colon."""
        figures: dict[str, float] = {}
        for result in self.results:
            attack, colon, column = result.name.partition(":")
            for name, value in zip(
                attack_figure_names(attack), (result.rate, result.excess), strict=True
            ):
                figures[f"{name}{colon}{column}"] = value
        return figures | ({} if self.groups is None else self.groups.worst_figures())

    def reasons(self) -> dict[str, str]:
        """Return why attacks were not carried out, by the names of their figures."""
        reasons = self.not_run.items()
        return {name: reason for attack, reason in reasons for name in attack_figure_names(attack)}

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data."""
        return {
            "k": self.k,
            "unit": self.unit,
            "seed": int(self.seed),
            "attacks": [result.to_dict() for result in self.results],
            **({} if self.groups is None else {"groups": self.groups.to_dict()}),
            "not_run": self.not_run,
            "remarks": list(self.remarks),
        }

    def _repr_html_(self) -> str:
        from shoal.report.notebook import attacks_html  # see docs/architecture.md

        return attacks_html(self)

    def __repr__(self) -> str:
        headings = ["attack", "rate", "95 % CI", "baseline", "excess", "ceiling", "tries"]
        rows = [headings, *map(_row_of_text, self.results)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        formats = [f"{'>' if i else '<'}{column_width}" for i, column_width in enumerate(widths)]
        lines = ["  ".join(map(format, row, formats)).rstrip() for row in rows]
        width = text_width()
        if width is not None and max(map(len, lines)) > width:
            lines = [align_rows(rows)]
        notes = [f"{name}: not run. {reason}" for name, reason in self.not_run.items()]
        notes += [f"{result.name}: {result.remark}" for result in self.results if result.remark]
        notes += self.remarks
        notes += [f"{name}: above its ceiling, which does not hold." for name in self.exceeded]
        if self.groups is not None:
            notes += ["", str(self.groups)]
        return "\n".join(
            [f"k = {self.k}, counted in {self.counted}; rates in per cent", *lines, *notes]
        )


def _row_of_text(result: AttackResult) -> list[str]:
    """Return the cells of a result under the headings, in per cent."""
    low, high = result.interval
    return [
        result.name,
        f"{100 * result.rate:.1f}",
        f"{100 * low:.1f}-{100 * high:.1f}",
        f"{100 * result.baseline:.1f}",
        f"{100 * result.excess:+.1f}",
        "-" if result.ceiling is None else f"{100 * result.ceiling:.1f}",
        f"{result.trials:,}",
    ]
