"""One run from a seed and a number to what came of it."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from fuzz.case import Case, draw_case
from fuzz.files import run_on_files
from fuzz.memory import run_in_memory


@dataclass
class Result:
    """What came of a run.

    Parameters
    ----------
    seed, number : int
        What the run was drawn from.
    outcome : str
        ``"released"``, ``"refused"`` (a `ShoalError`) or ``"crashed"``.
    problems : list of str
        What is wrong, each as ``check: what``.
    counted : dict
        What the run exercised.
    """

    seed: int
    number: int
    outcome: str
    problems: list[str]
    counted: dict[str, list[str]] = field(default_factory=dict)


def run_one(seed: int, number: int) -> Result:
    """Draw a run, do it and judge it."""
    case = draw_case(seed, number)
    outcome, problems = run_in_memory(case) if case.route is None else run_on_files(case)
    return Result(seed, number, outcome, problems, case.counted())


class Tally:
    """Counts of many runs, by outcome and by what was exercised."""

    def __init__(self) -> None:
        self.runs = 0
        self.outcomes: Counter[str] = Counter()
        self.counts: dict[str, dict[str, Counter[str]]] = {}
        self.failures: list[dict[str, Any]] = []

    def add(self, result: Result) -> None:
        """Count one run."""
        self.runs += 1
        self.outcomes[result.outcome] += 1
        for what, names in result.counted.items():
            table = self.counts.setdefault(what, {})
            for name in names:
                table.setdefault(name, Counter())[result.outcome] += 1
        if result.problems:
            self.failures.append(
                {
                    "seed": result.seed,
                    "number": result.number,
                    "problems": result.problems,
                    "repeat": repeat(result.seed, result.number),
                }
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "runs": self.runs,
            "outcomes": dict(self.outcomes),
            **{
                what: {name: dict(table[name]) for name in sorted(table)}
                for what, table in sorted(self.counts.items())
            },
            "failures": sorted(self.failures, key=lambda failure: failure["number"]),
        }


def repeat(seed: int, number: int) -> str:
    """Return the command that does one run again."""
    return f"make fuzz SEED={seed} RUN={number}"


def describe(case: Case) -> str:
    """Return a case in words, for whoever looks into a failure."""
    where = case.library if case.route is None else " to ".join(case.route)
    lines = [f"table ({where}, {len(case.columns[0].values)} records):"]
    lines += [f"  {c.name} ({c.kind}): {c.values}" for c in case.columns]
    return "\n".join([*lines, f"plan: {case.plan}"])
