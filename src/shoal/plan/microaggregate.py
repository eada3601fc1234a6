"""`microaggregate`: make a plan of one step and run it."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal._params import RandomState, with_hint_of
from shoal._seeds import as_seed
from shoal.errors import ParameterError
from shoal.frame.tables import IntoDataFrame
from shoal.metrics.limits import Limits
from shoal.partitioners import Partitioner, partitioner
from shoal.plan import Plan
from shoal.plan.definition.repair import Repair
from shoal.plan.release import Release


def microaggregate(
    data: IntoDataFrame,
    columns: Sequence[str],
    *,
    k: int,
    method: str | Partitioner = "auto",
    effort: str | None = None,
    budget: float | None = None,
    confidential: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    dependence: float = 0.0,
    blocks: int | Sequence[Sequence[str]] | None = None,
    within: str | Sequence[str] | None = None,
    small_strata: str = "refuse",
    unit: str | None = None,
    household: str | None = None,
    whole_households: bool = False,
    weight: str | None = None,
    weighted_distances: bool = False,
    column_weights: Mapping[str, float] | None = None,
    missing: str = "refuse",
    types: Mapping[str, Any] | None = None,
    missing_codes: Mapping[str, Any] | None = None,
    standardise: str = "zscore",
    aggregate: str | Mapping[str, str] = "mean",
    trim: float | None = None,
    decimals: int | Mapping[str, int] | None = None,
    round: str | None = None,
    homogeneity: str = "warn",
    noise: float = 0.1,
    diversity: float | None = None,
    diversity_kind: str = "distinct",
    closeness: float | None = None,
    closeness_by: str = "merge",
    refine_recoding: bool = True,
    edits: Sequence[str] = (),
    repair: Repair | None = None,
    limits: Limits | Mapping[str, Any] | None = None,
    shuffle: bool = False,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Release:
    """Microaggregate a table, so that at least k records share each combination of masked values.

    With ``blocks``, this holds for the columns of each block, not for all columns together.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The table; it is not modified.
    columns : list of str
        Quasi-identifiers to mask, of any kind.
    k : int
        Minimum number of records, or of units if ``unit`` is given, in a group. It has no
        default: it is the guarantee.
    method : str or Partitioner
        A name in `shoal.METHODS`, or a partitioner. ``"auto"`` is recommended.
    effort : {"quick", "refine", "search", "prove"}, optional
        How much to improve the groups of the method: ``"quick"`` not at all, ``"refine"``
        until no small change helps, ``"search"`` continues by simulated annealing, ``"prove"``
        also computes a lower bound of the loss. The method ``"auto"`` refines.
    budget : float, optional
        CPU seconds for ``"search"`` (by default 50 rounds per record instead) or ``"prove"`` (by
        default 60).
    confidential : list of str
        Columns with values that must not be linked to a person; released unchanged, unless
        ``homogeneity`` is ``"noise"``.
    identifiers : list of str
        Columns that name a person; dropped from the release.
    dependence : float
        Share of the confidential columns in the distances, in [0, 1].
    blocks : int or list of list of str, optional
        Blocks of columns to microaggregate separately; see `Microaggregate`.
    within : str or list of str, optional
        Columns that split the records into strata; groups never cross them, unless
        ``small_strata`` merges them.
    small_strata : {"refuse", "merge"}, default="refuse"
        What to do with a stratum of fewer than k records, or units: refuse the table, or merge
        the stratum with others.
    unit : str, optional
        Column whose values are the persons, firms or other units to protect: k counts the
        different units of every group, however many records each has, and the column is
        dropped. ``"record"`` makes k count records although an identifier repeats.
    household : str, optional
        Column of households, which k counts like the units of ``unit``; the column is dropped.
    whole_households : bool
        Whether all members of a household stay in one group and get the same values.
    weight : str, optional
        Column of survey weights, which the aggregates of groups use. It is released
        unchanged, with a warning, or dropped if ``identifiers`` names it too.
    weighted_distances : bool
        Whether distances use weighted z-scores.
    column_weights : mapping of str to float, optional
        Importance of columns in the distances; 1 for columns that are not named.
    missing : {"refuse", "own-groups", "impute", "drop"}, default="refuse"
        What to do with missing values; see `Microaggregate`.
    types : mapping of str to str or mapping, optional
        Kinds of columns, if the table does not determine them; see `Plan`.
    missing_codes : mapping of str to list, optional
        Values of masked columns that stand for a missing value; see `Plan`.
    standardise : {"zscore", "none"}, default="zscore"
        How numbers are scaled before distances are computed.
    aggregate : str or mapping of str to str
        How numbers are aggregated: ``"mean"``, ``"median"``, ``"trimmed-mean"`` or
        ``"geometric-mean"``, for all columns or by column; see `Microaggregate`.
    trim : float, optional
        Share of a group that a trimmed mean ignores at each end.
    decimals : int or mapping of str to int, optional
        Number of decimals to round the released values to, for all columns or by column.
    round : str, optional
        ``"original"`` rounds all other columns to the decimals that they have in the table, so
        that ages and counts stay whole.
    homogeneity : {"warn", "merge", "noise", "refuse"}, default="warn"
        What to do with groups in which a confidential column has a single value: issue a warning,
        merge each with the nearest group, add noise to the confidential values, or refuse the
        release.
    noise : float
        How much noise ``homogeneity="noise"`` adds; see `Microaggregate`.
    diversity : float, optional
        The *l* of l-diversity: minimum number of values of every confidential column in each
        group.
    diversity_kind : {"distinct", "entropy"}, default="distinct"
        How values are counted.
    closeness : float, optional
        The *t* of t-closeness: maximum distance between the confidential values of a group and
        the confidential values of the table.
    closeness_by : {"merge", "swap", "first"}, default="merge"
        How t-closeness is attained; see `Microaggregate`.
    refine_recoding : bool
        Whether groups that are released as ancestors or ranges are refined by a local search.
    edits : list of str
        Linear rules that the records obey, such as ``"total == a + b"``; see `Plan`.
    repair : {"refuse", "regroup"}, optional
        What to do about edits that masking breaks; see `Plan`. By default they qualify the verdict.
    limits : Limits or mapping, optional
        Maximum and minimum values of figures, such as ``{"max_linkage": 0.1}``; a limit that is
        not met breaks the guarantee. See `shoal.Limits`.
    shuffle : bool
        Whether to release the records in random order. Otherwise they keep their order, which
        may identify them.
    random_state : int, Generator, RandomState or None
        Seed of randomised methods and of the random order; if None, seeds are drawn and
        recorded in the plan of the release.
    n_jobs : int, optional
        Number of threads for a method that works on blocks; all cores if None or -1. The
        result does not depend on it.
    **options
        Further parameters of the method.

    Returns
    -------
    Release
        The masked table, with its plan, measures and verdict.

    Examples
    --------
    >>> import pandas as pd
    >>> firms = pd.DataFrame({"surface": [790, 710, 50, 60], "employees": [55, 44, 12, 10]})
    >>> microaggregate(firms, ["surface", "employees"], k=2).data
       surface  employees
    0    750.0       49.5
    1    750.0       49.5
    2     55.0       11.0
    3     55.0       11.0
    """
    seed = as_seed(random_state)
    common = {"effort": effort, "budget": budget, "random_state": seed, "n_jobs": n_jobs}
    try:
        grouping = partitioner(method, {"k": k, **common, **options})
    except ParameterError as error:
        raise with_hint_of(error, microaggregate) from None
    return Plan.of(
        columns,
        grouping,
        identifiers=identifiers,
        confidential=confidential,
        within=within,
        small_strata=small_strata,
        unit=unit,
        household=household,
        whole_households=whole_households,
        weight=weight,
        weighted_distances=weighted_distances,
        column_weights=column_weights,
        dependence=dependence,
        blocks=blocks,
        missing=missing,
        types=types,
        missing_codes=missing_codes,
        other_columns="release",
        standardise=standardise,
        aggregate=aggregate,
        trim=trim,
        decimals=decimals,
        round=round,
        homogeneity=homogeneity,
        noise=noise,
        diversity=diversity,
        diversity_kind=diversity_kind,
        closeness=closeness,
        closeness_by=closeness_by,
        refine_recoding=refine_recoding,
        edits=edits,
        repair=repair,
        limits=limits,
        shuffle=shuffle,
        random_state=seed if shuffle or homogeneity == "noise" else None,
    ).run(data)
