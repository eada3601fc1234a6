"""Random plan documents for a table: every step, method and option."""

from typing import Any

import numpy as np

from fuzz.columns import NUMBER, Column, Rng
from fuzz.methods import draw_partition

Document = dict[str, Any]

STEPS = {
    "microaggregate": 8.0, "suppress": 1.5, "swap": 1.0, "hybridise": 0.6, "rank-swap": 0.6,
    "add-noise": 0.6, "top-bottom-code": 0.6, "round": 0.6,
    "generalise": 0.0,  # takes the place of some suppressions; see `variations`
    "recode": 0.0,  # takes the place of some steps; the same
    "pram": 0.0,  # the same
}  # fmt: skip
COUNTING = ("microaggregate", "suppress", "swap", "hybridise")  # the steps that count units
ANY_KIND = ("microaggregate", "suppress", "swap")  # the other steps take numbers alone


def draw_plan(rng: Rng, columns: list[Column]) -> Document:
    """Draw a plan for a table, mostly one that can be run on it."""
    return _Draft(rng, columns).document()


def draw_k(rng: Rng, n: int) -> int:
    """Draw k: mostly small, now and then 1, all records, or more than there are."""
    shape = rng.choice(["small", "half", "one", "all", "beyond"], p=[0.86, 0.06, 0.03, 0.03, 0.02])
    if shape == "one":
        return 1
    if shape == "all":
        return n
    if shape == "beyond":
        return n + int(rng.integers(1, 4))
    least, most = 2, 6 if shape == "small" else max(3, n // 2)
    return int(rng.integers(least, most + 1))


class _Draft:
    """A plan in the making: which columns are still free, and their roles."""

    def __init__(self, rng: Rng, columns: list[Column]):
        self.rng, self.columns = rng, {column.name: column for column in columns}
        self.n = len(columns[0].values)
        self.free = [str(name) for name in rng.permutation(list(self.columns))]
        self.roles: dict[str, str] = {}
        self.types: dict[str, Any] = {}
        self.secret: list[str] = []  # confidential columns that a step asks something about

    def chance(self, share: float) -> bool:
        """Return True with a probability."""
        return bool(self.rng.random() < share)

    def one_of(self, *choices: Any) -> Any:
        """Choose one of some things."""
        return choices[int(self.rng.integers(len(choices)))]

    def take(self, names: list[str], number: int) -> list[str]:
        """Take so many of some free columns."""
        taken = [name for name in self.free if name in names][:number]
        self.free = [name for name in self.free if name not in taken]
        return taken

    def document(self) -> Document:
        """Return the plan."""
        special = [self.take(["w"], 1), self.take(["hh"], 1), self.take(["person"], 1)]
        weight, household, unit = (actual[0] if actual else None for actual in special)
        if len(self.free) > 1 and self.chance(0.35):
            self.secret = self.take(self.free, self.one_of(1, 1, 2) if len(self.free) > 2 else 1)
            self.roles |= dict.fromkeys(self.secret, "confidential")
        steps = self._steps()
        strata = [name for step in steps for name in _listed(step.get("within"))]
        masked = [name for step in steps for name in step["columns"]]
        for step in steps:
            self._options(step, weight, household)
        for name in self.free:
            role = self.rng.choice(
                ["confidential", "identifier", "non-confidential", "none"], p=[0.4, 0.1, 0.1, 0.4]
            )
            if role != "none":
                self.roles[name] = str(role)
        for name in [*masked, *strata]:
            if self.chance(0.5):
                self.roles.setdefault(name, "quasi-identifier")
        if not any(role == "confidential" for role in self.roles.values()):
            steps[0].pop("dependence", None)
        if household is not None and not any("household" in step for step in steps):
            self.roles[household] = "identifier"
        if weight is not None and not any("weight" in step for step in steps):
            self.roles[weight] = self.one_of("weight", "identifier", "non-confidential")
        document: Document = {"version": 1, "roles": self.roles, "steps": steps}
        if unit is not None and not self._name_unit(unit, document):
            self.roles[unit] = "identifier"
        elif unit is None and "identifier" in self.roles.values() and self.chance(0.8):
            document["unit"] = "record"
        others = self.rng.choice(["release", "drop", "refuse", ""], p=[0.65, 0.15, 0.05, 0.15])
        if others:
            document["other_columns"] = str(others)
        else:  # a plan that names every column
            named = {*self.roles, *masked, *strata}
            self.roles |= {n: "unassigned" for n in self.columns if n not in named}
        if self.chance(0.1):
            document |= {"shuffle": True, "random_state": int(self.rng.integers(2**31))}
        if self.chance(0.05):
            document["thresholds"] = self.one_of(
                {"unique": 0.5}, {"dominance": 0.3, "p_percent": 10.0}, {"loss": 5.0, "sample": 100}
            )
        if self.types:
            document["types"] = self.types
        return document

    def _name_unit(self, unit: str, document: Document) -> bool:
        """Let k count units, in one of the ways to say so; say whether it does."""
        if any("household" in step for step in document["steps"]) or self.chance(0.1):
            return False
        counting = [step for step in document["steps"] if step["method"] in COUNTING]
        if self.chance(0.3):
            document["unit"] = unit
        elif counting and self.chance(0.3):
            counting[0]["unit"] = unit
        else:
            self.roles[unit] = "unit"
        return True

    def _steps(self) -> list[Document]:
        number = int(self.rng.choice([1, 2, 3], p=[0.8, 0.15, 0.05]))
        number = 1 if self.secret and self.chance(0.8) else number  # most demands allow but one
        names, weights = list(STEPS), np.array(list(STEPS.values()))
        steps = []
        for _ in range(number):
            method = str(names[self.rng.choice(len(names), p=weights / weights.sum())])
            fitting = [
                name
                for name in self.free
                if method in ANY_KIND or self.columns[name].numeric or self.chance(0.02)
            ]
            taken = self.take(fitting, int(self.rng.integers(1, 5)))
            if not taken:
                continue
            steps.append({"method": method, "columns": taken})
        if not steps:
            steps = [{"method": "microaggregate", "columns": self.take(self.free, 1)}]
        for step in steps:
            few = [n for n in self.free if len(self.columns[n].distinct) <= max(2, self.n // 8)]
            within = self.take(few, self.one_of(1, 1, 2)) if self.chance(0.35) else []
            if within and step["method"] in ("microaggregate", "swap", "hybridise"):
                step["within"] = within if len(within) > 1 or self.chance(0.5) else within[0]
            else:
                self.free += within
        return steps

    def _options(self, step: Document, weight: str | None, household: str | None) -> None:
        method, k = step["method"], draw_k(self.rng, self.n)
        masked = [self.columns[name] for name in step["columns"]]
        if method in ("microaggregate", "swap", "hybridise"):
            if method == "hybridise" and not self.chance(0.05):
                k = max(k, 3)
            step["partition"] = draw_partition(self.rng, k, self.n, len(masked))
            if self.chance(0.1):
                step["standardise"] = "none"
        seeded = method in ("swap", "hybridise", "rank-swap", "add-noise")
        if seeded and not self.chance(0.1):
            step["random_state"] = int(self.rng.integers(2**31))
        if method == "microaggregate":
            self._microaggregation(step, masked, weight, household)
        elif method == "suppress":
            step["k"] = k
        elif method == "rank-swap":
            step["percent"] = float(self.one_of(1.0, 5.0, 20.0, 100.0))
        elif method == "add-noise":
            step["amount"] = float(self.one_of(0.01, 0.1, 1.0))
            self._maybe(step, 0.3, kind="correlated")
            self._maybe(step, 0.3, spread="kept")
            self._maybe(step, 0.3, decimals=self.one_of(-1, 0, 2))
        elif method == "round":
            step["base"] = float(self.one_of(0.5, 1, 5, 10, 1000))
            if self.chance(0.4):
                step |= {"mode": "random", "random_state": int(self.rng.integers(2**31))}
        elif method == "top-bottom-code":
            self._coding(step, masked)

    def _maybe(self, step: Document, share: float, **option: Any) -> None:
        if self.chance(share):
            step |= option

    def _coding(self, step: Document, masked: list[Column]) -> None:
        values = sorted(v for column in masked for v in column.distinct if column.numeric)
        middle = float(values[len(values) // 2]) if values else 0.0
        middle = middle if abs(middle) < 1e308 and int(middle) != NUMBER else 1.0
        ends = self.one_of(("top",), ("bottom",), ("top", "bottom"))
        for end in ends:
            if self.chance(0.5):
                step[f"{end}_share"] = float(self.one_of(0.05, 0.1, 0.3, 0.5))
            else:
                step[end] = middle + (1 if end == "top" else -1)
        self._maybe(step, 0.4, replacement="mean")

    def _microaggregation(
        self, step: Document, masked: list[Column], weight: str | None, household: str | None
    ) -> None:
        any_missing = any(column.missing for column in masked)
        if any_missing or self.chance(0.1):
            step["missing"] = self.one_of("own-groups", "impute", "drop", "own-groups")
        self._maybe(step, 0.5 if "within" in step else 0.01, small_strata="merge")
        if household is not None and not any(self._taken("household")):
            step["household"] = household
            if step.get("missing") == "own-groups":
                step["missing"] = "impute"
        if weight is not None and self.chance(0.8):
            step["weight"] = weight
            self._maybe(step, 0.3, weighted_distances=True)
        aggregate = self.rng.choice(
            ["mean", "median", "trimmed-mean", "geometric-mean"], p=[0.7, 0.15, 0.08, 0.07]
        )
        if aggregate == "trimmed-mean" and weight is None:
            step |= {"aggregate": "trimmed-mean", "trim": float(self.one_of(0.0, 0.1, 0.5))}
        elif aggregate != "trimmed-mean":
            step["aggregate"] = str(aggregate)
        if len(masked) > 1 and step["columns"][0][-1:] in "ae":  # no further random number
            step["column_weights"] = {step["columns"][0]: 2.5}
        self._maybe(step, 0.2, decimals=int(self.one_of(-2, 0, 1, 2, 6)))
        self._declare(masked)
        if len(masked) > 1 and self.chance(0.12):
            step["blocks"] = 1 if self.chance(0.5) else _halves(step["columns"])
        if self.secret and self.chance(0.8):
            self._confidential(step)

    def _confidential(self, step: Document) -> None:
        """Ask for something about confidential columns."""
        fewest = min(len(self.columns[name].distinct) for name in self.secret)
        asked = self.one_of("diversity", "diversity", "closeness", "dependence", "homogeneity")
        if asked == "dependence":
            step["dependence"] = float(self.one_of(0.1, 0.5, 1.0))
        elif asked == "homogeneity":
            step["homogeneity"] = self.one_of("merge", "refuse", "noise")
            if step["homogeneity"] == "noise":
                step |= {"noise": 0.2, "random_state": int(self.rng.integers(2**31))}
        elif asked == "closeness":
            step["closeness"] = float(self.one_of(0.1, 0.25, 0.5, 0.8))
            self._maybe(step, 0.5, closeness_by=self.one_of("swap", "first"))
        else:
            step["diversity"] = float(self.one_of(2, max(2, min(3, fewest)), 1.5))
            self._maybe(step, 0.4, diversity_kind="entropy")

    def _declare(self, masked: list[Column]) -> None:
        """Declare the type of some masked columns."""
        for column in masked:
            texts = [_text(value) for value in column.distinct]
            if column.kind == "text" and self.chance(0.5):
                self.types[column.name] = self.one_of("nominal", _order(texts), _tree(texts))
            elif column.kind == "whole" and len(texts) < 6 and self.chance(0.3):
                self.types[column.name] = self.one_of("nominal", "ordinal", _distances(texts))
        self.types = {name: kind for name, kind in self.types.items() if kind is not None}

    def _taken(self, role: str) -> list[str]:
        return [name for name, given in self.roles.items() if given == role]


def _listed(names: str | list[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or [])


def _halves(names: list[str]) -> list[list[str]]:
    return [names[: len(names) // 2], names[len(names) // 2 :]]


def _text(value: Any) -> str:
    return str(value)


def _order(texts: list[str]) -> Any:
    return {"kind": "ordinal", "order": sorted(texts)} if texts else None


def _tree(texts: list[str]) -> Any:
    rows = [[text, "upper" if at % 2 else "lower"] for at, text in enumerate(texts)]
    return {"kind": "nominal", "hierarchy": rows} if texts else None


def _distances(texts: list[str]) -> Any:
    pairs = [(a, b) for at, a in enumerate(texts) for b in texts[at + 1 :]]
    rows = [[a, b, str(1 + at % 3)] for at, (a, b) in enumerate(pairs)]
    return {"kind": "nominal", "distances": rows} if rows else None
