"""Label, help and unit of the parameters that the form asks for, in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FieldDescription:
    """How the form presents a parameter.

    Parameters
    ----------
    label : str
        Name of the field.
    help : str
        What the parameter does, in a sentence or two.
    unit : str
        Unit of a number, such as seconds.
    choices : mapping of str to str
        Label of each value.
    group : str
        Heading of the section that contains the field.
    """

    label: str
    help: str = ""
    unit: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    group: str = ""


YES_NO = {"true": "yes", "false": "no"}
CONFIDENTIAL = "Confidential columns"
VALUES = "Released values"
GROUPS = "Distances and groups"
MISSING = "Missing values"

SEED = FieldDescription(
    "Seed",
    "Enter a whole number to get the same result again. If the field is empty, a secret seed is"
    " drawn and kept in the plan.",
)
SCALE = FieldDescription(
    "Scale of the columns",
    "How columns of different units are made comparable.",
    choices={"zscore": "mean 0, standard deviation 1", "none": "as they are"},
    group=GROUPS,
)
DIVERSITY = FieldDescription(
    "l-diversity",
    "Smallest number of different values of every confidential column in a group.",
    group=CONFIDENTIAL,
)
DIVERSITY_KIND = FieldDescription(
    "Values of l-diversity are counted",
    choices={"distinct": "each once", "entropy": "by frequency (entropy)"},
    group=CONFIDENTIAL,
)
CLOSENESS = FieldDescription(
    "t-closeness",
    "Maximum distance, from 0 to 1, between the confidential values of a group and the values of"
    " the whole table.",
    group=CONFIDENTIAL,
)
DECIMALS = FieldDescription(
    "Decimals", "Decimals of the released values; 0 keeps whole numbers whole.", group=VALUES
)
SCORES = {"first-component": "first principal component", "sum-of-z": "sum of the z-scores"}
BUDGET = FieldDescription(
    "Time to spend", "Processor time, of all threads together.", unit="seconds"
)

# By parameter, or by owner and parameter where owners (steps, methods, efforts) differ.
FIELDS: dict[str, FieldDescription] = {
    "shuffle": FieldDescription(
        "Order of the records",
        "The order of a table may reveal whom a record belongs to.",
        choices={"false": "as in the file", "true": "random"},
    ),
    "random_state": SEED,
    "standardise": SCALE,
    "diversity": DIVERSITY,
    "diversity_kind": DIVERSITY_KIND,
    "closeness": CLOSENESS,
    "decimals": DECIMALS,
    "dependence": FieldDescription(
        "Weight of the confidential columns",
        "With 0, groups depend only on the masked columns. With values up to 1, groups also become"
        " similar in the confidential columns, which preserves their relation to the masked"
        " columns.",
        group=GROUPS,
    ),
    "blocks": FieldDescription(
        "Columns masked together",
        "Masks this many columns at a time. Loses less, but k holds only within each block of"
        " columns, not for all columns together.",
        unit="columns",
        group=GROUPS,
    ),
    "small_strata": FieldDescription(
        "Small strata",
        "What happens to a part of the table, split off by a column, with fewer than k records.",
        choices={"refuse": "stop the run", "merge": "merge with the nearest"},
        group=GROUPS,
    ),
    "whole_households": FieldDescription(
        "Keep households whole",
        "All members of a household stay in one group and get the same values. Loses much more.",
        choices=YES_NO,
        group=GROUPS,
    ),
    "weighted_distances": FieldDescription(
        "Weighted distances",
        "Scale columns by the mean and spread of the population, as the survey weights estimate"
        " them.",
        choices=YES_NO,
        group=GROUPS,
    ),
    "missing": FieldDescription(
        "Missing values",
        "What happens to records in which a masked value is missing.",
        choices={
            "refuse": "stop the run",
            "own-groups": "group by what is missing",
            "impute": "fill in the value of the group",
            "drop": "leave such records out",
        },
        group=MISSING,
    ),
    "aggregate": FieldDescription(
        "Value of a group",
        "Ancestors need levels (see Details of a column). Ranges show the smallest and the largest"
        " number.",
        choices={
            "mean": "mean",
            "median": "median",
            "trimmed-mean": "trimmed mean",
            "geometric-mean": "geometric mean",
            "ancestor": "common ancestor of the levels",
            "range": "range from smallest to largest",
        },
        group=VALUES,
    ),
    "trim": FieldDescription(
        "Trimmed share",
        "Share of a group, from 0 to 0.5, that a trimmed mean leaves out at each end.",
        group=VALUES,
    ),
    "round": FieldDescription(
        "Rounding",
        "Whether means are rounded to the decimals that the column shows.",
        choices={"original": "to the decimals of the column", "none": "never"},
        group=VALUES,
    ),
    "homogeneity": FieldDescription(
        "Groups with one confidential value",
        "Anyone known to be in such a group is known to have the value.",
        choices={
            "warn": "warn",
            "merge": "merge with the nearest group",
            "noise": "add noise",
            "refuse": "stop the run",
        },
        group=CONFIDENTIAL,
    ),
    "noise": FieldDescription(
        "Amount of this noise",
        "For numbers, the variance of the noise as a share of the variance of the column; for"
        " categories, the probability that a record changes.",
        group=CONFIDENTIAL,
    ),
    "closeness_by": FieldDescription(
        "How t-closeness is attained",
        choices={
            "merge": "merge groups",
            "swap": "exchange records, then merge",
            "first": "form close groups from the start",
        },
        group=CONFIDENTIAL,
    ),
    "refine_recoding": FieldDescription(
        "Improve recoded groups",
        "Moves records between groups that are released as ancestors or ranges, to lose less.",
        choices=YES_NO,
        group=VALUES,
    ),
    "rank-swap:percent": FieldDescription(
        "Range of ranks", "How far apart two swapped values may be.", unit="% of the records"
    ),
    "add-noise:amount": FieldDescription(
        "Amount of noise", "Variance of the noise as a multiple of the column's, such as 0.1."
    ),
    "add-noise:kind": FieldDescription(
        "Noise of several columns",
        choices={"independent": "independent", "correlated": "correlated like the columns"},
    ),
    "add-noise:spread": FieldDescription(
        "Spread of the column",
        choices={"grows": "grows by the noise", "kept": "stays the same on average"},
    ),
    "top-bottom-code:top": FieldDescription(
        "Top threshold", "Largest value that is released unchanged.", unit="unit of the column"
    ),
    "top-bottom-code:bottom": FieldDescription(
        "Bottom threshold", "Smallest value that is released unchanged.", unit="unit of the column"
    ),
    "top-bottom-code:top_share": FieldDescription(
        "Share coded at the top", "Share of the records, up to 0.5, instead of a threshold."
    ),
    "top-bottom-code:bottom_share": FieldDescription(
        "Share coded at the bottom", "Share of the records, up to 0.5, instead of a threshold."
    ),
    "top-bottom-code:replacement": FieldDescription(
        "Replacement", choices={"threshold": "the threshold", "mean": "mean of the coded values"}
    ),
    "round:base": FieldDescription(
        "Base", "Released values are multiples of this number.", unit="unit of the column"
    ),
    "round:mode": FieldDescription(
        "Direction", choices={"nearest": "to the nearest", "random": "at random to a neighbour"}
    ),
    "suppress:missing_means": FieldDescription(
        "A suppressed cell counts as",
        "A value of its own protects more; matching any value suppresses fewer cells, as sdcMicro"
        " counts.",
        choices={"own": "a value of its own", "any": "matching any value"},
    ),
    "suppress:effort": FieldDescription(
        "Effort",
        choices={
            "auto": "as the table allows",
            "refine": "quick, with local search",
            "prove": "prove the minimum number",
        },
    ),
    "generalise:suppression": FieldDescription(
        "Records that may be suppressed", "Maximum share of all records, from 0 to 1."
    ),
    "generalise:loss": FieldDescription(
        "Loss to minimise",
        choices={
            "distinctions": "distinctions lost between values",
            "entropy": "non-uniform entropy",
            "discernibility": "discernibility: pairs made equal",
        },
    ),
    "generalise:max_nodes": FieldDescription(
        "Combinations to look at",
        "If the field is empty, all that can matter. With fewer, the result states a bound.",
        unit="combinations of levels",
    ),
    "recode:mapping": FieldDescription("New values", "One line for each value: old = new."),
    "recode:bands": FieldDescription(
        "Limits of bands", "Numbers in ascending order, separated by commas, such as 18, 40, 65."
    ),
    "recode:labels": FieldDescription(
        "Names of the bands", "Separated by commas; one more than there are limits."
    ),
    "recode:min_count": FieldDescription(
        "Rare categories", "Categories of fewer records are joined.", unit="records"
    ),
    "recode:unmapped": FieldDescription(
        "Values without a new value",
        choices={"keep": "keep", "other": "join", "refuse": "stop the run"},
    ),
    "recode:other": FieldDescription("Name of the joined category"),
    "pram:stay": FieldDescription(
        "Probability of no change", "At least 0 and below 1, in the first of two stages."
    ),
    "pram:invariant": FieldDescription(
        "Keep the frequencies",
        "A second stage keeps the expected number of records of every category.",
        choices=YES_NO,
    ),
    "pram:joint": FieldDescription(
        "Change the columns together",
        "As one variable, whose categories are the combinations that occur.",
        choices=YES_NO,
    ),
    "cvmdav:gamma": FieldDescription(
        "Growth of groups", "With 0, groups take in no further record; 1.1 is usual."
    ),
    "vmdav:gamma": FieldDescription(
        "Growth of groups",
        "With 0, groups take in no further record; 0.2 suits scattered records, 1.1 clusters; auto"
        " tries five values.",
    ),
    "lloyd:start": FieldDescription(
        "First groups by",
        choices={"best": "the best of three", "dba2": "DBA-2", "mdav2": "MDAV2", "tfrp": "TFRP"},
    ),
    "md:grow": FieldDescription(
        "Groups grow by the record nearest to",
        choices={"centroid": "their centroid", "extreme": "the record they started from"},
    ),
    "mhm:path": FieldDescription(
        "Path through the records",
        choices={
            "nearest-point": "to the nearest record",
            "mdav": "by the groups of MDAV",
            "centroid-mdav": "by the groups of CBFS",
        },
    ),
    "mst:split": FieldDescription(
        "Large trees are split by",
        choices={"diameter": "MD", "centroid": "CBFS", "none": "nothing: groups may be large"},
    ),
    "mu-approx:criterion": FieldDescription(
        "Keep small", choices={"sse": "squared distances", "euclidean": "distances"}
    ),
    "mu-approx:restarts": FieldDescription("Attempts", "The best one is kept."),
    "mward:start": FieldDescription(
        "First and last record", choices={"max-distance": "most distant", **SCORES}
    ),
    "mward:descending": FieldDescription("From the other end", choices=YES_NO),
    "mward:grow": FieldDescription(
        "First groups grow by the record nearest to",
        choices={"centroid": "their centroid", "extreme": "the extreme record"},
    ),
    "sorted:by": FieldDescription("Sort by", choices=SCORES),
    "sorted:descending": FieldDescription("From the largest down", choices=YES_NO),
    "sorted:loadings": FieldDescription(
        "Weights of the columns", choices={"exact": "exact", "rounded": "rounded as published"}
    ),
    "tfrp:phases": FieldDescription("Phases", choices={"1": "one", "2": "two"}),
    "univariate:order": FieldDescription(
        "Order of the records",
        "Several columns need a score to sort by.",
        choices={"": "the only column", **SCORES},
    ),
    "blocked:block_size": FieldDescription("Size of a block", unit="records at most"),
    "blocked:seams": FieldDescription(
        "Groups at the borders", choices={"refine": "improve", "keep": "leave as they are"}
    ),
    "search:budget": BUDGET,
    "search:rounds": FieldDescription(
        "Rounds per record", "Instead of a time; 50 if both are empty."
    ),
    "prove:budget": BUDGET,
}


def describe_field(owner: str, name: str) -> FieldDescription | None:
    """Return the description of a parameter of a step, a method or an effort, or None."""
    return FIELDS.get(f"{owner}:{name}") or FIELDS.get(name)
