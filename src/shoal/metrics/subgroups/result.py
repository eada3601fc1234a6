"""Figures by subgroup, with the worst-off group of each figure first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal._text import align_rows, count
from shoal.metrics.limits.figure_names import WORST_GROUP_SUFFIX
from shoal.metrics.subgroups.split import OTHER_GROUPS, Subgroup, SubgroupSplit


@dataclass(frozen=True, eq=False)
class Subgroups:
    """Figures of each group, with the worst-off group of each figure first.

    Parameters
    ----------
    split : SubgroupSplit
        The groups.
    figures : tuple of dict
        Figures by name of each group.
    better : mapping of str to str
        ``"lower"``, ``"higher"`` or ``"near one"`` by figure; figures without an entry are not
        compared.
    unit : str
        What the sizes of groups count, as a noun in the singular.
    results : tuple
        Result of each group, of the same type as the result of the whole table.
    note : str
        A sentence that readers need to interpret the figures of groups, or an empty string.
    """

    split: SubgroupSplit
    figures: tuple[dict[str, float], ...]
    better: Mapping[str, str]
    unit: str = "record"
    results: tuple[Any, ...] = ()
    note: str = ""

    def __getitem__(self, label: str) -> Any:
        for group, result in zip(self.split.groups, self.results, strict=True):
            if group.label == label:
                return result
        raise KeyError(label)

    def worst_figures(self) -> dict[str, float]:
        """Return the figures of the worst-off groups, for `Limits`.

        ``_worst_group`` is appended to the name of the figure, before a colon and the name of a
        column.
        """
        worst = {}
        for name, (_, value) in self.worst().items():
            figure, colon, column = name.partition(":")
            worst[f"{figure}{WORST_GROUP_SUFFIX}{colon}{column}"] = value
        return worst

    @property
    def names(self) -> list[str]:
        """Names of the figures that at least one group has."""
        return [name for name in self.better if any(name in figures for figures in self.figures)]

    def ordered(self, name: str) -> list[tuple[Subgroup, float]]:
        """Return the groups that have a figure, with its value, the worst-off group first."""
        pairs = [
            (group, figures[name])
            for group, figures in zip(self.split.groups, self.figures, strict=True)
            if name in figures
        ]
        return sorted(pairs, key=lambda pair: -_badness(pair[1], self.better[name]))

    def worst(self) -> dict[str, tuple[str, float]]:
        """Return the label and the value of the worst-off group of each figure."""
        worst_groups = {name: self.ordered(name)[0] for name in self.names}
        return {name: (group.label, value) for name, (group, value) in worst_groups.items()}

    @property
    def remark(self) -> str:
        """A sentence on groups that are not shown separately."""
        if not self.split.n_merged:
            return ""
        return (
            f"{count(self.split.n_merged, 'group')} merged into '{OTHER_GROUPS}': no group of"
            f" fewer than {count(self.split.min_group, self.unit)} is shown."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data, with the groups from the worst-off to the best-off."""
        return {
            "by": list(self.split.columns),
            "min_group": self.split.min_group,
            "merged_groups": self.split.n_merged,
            "sizes": {group.label: group.size for group in self.split.groups},
            "figures": {
                name: [
                    {"group": group.label, "value": value} for group, value in self.ordered(name)
                ]
                for name in self.names
            },
            "remarks": [remark for remark in (self.remark, self.note) if remark],
        }

    def __str__(self) -> str:
        rows = [["figure", "worst-off group", f"{self.unit}s", "value", "best-off group", "value"]]
        for name in self.names:
            ordered = self.ordered(name)
            (worst, worst_value), (best, best_value) = ordered[0], ordered[-1]
            if worst_value == best_value:
                rows.append([name, "all alike", "", f"{worst_value:.4g}", "", ""])
                continue
            rows.append([name, worst.label, f"{worst.size:,}", f"{worst_value:.4g}"])
            rows[-1] += [best.label, f"{best_value:.4g}"]
        heading = f"by {', '.join(self.split.columns)}"
        return "\n".join(filter(None, [heading, align_rows(rows), self.remark, self.note]))


def _badness(value: float, better: str) -> float:
    """Return a number that is larger for worse figures."""
    if better == "near one":
        return abs(value - 1)
    return -value if better == "higher" else value
