"""The function `utility`: the same analyses of the original and the masked table."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shoal import _progress as progress
from shoal._jobs import effective_n_jobs
from shoal._params import RandomState, check_at_least, hint
from shoal._seeds import seed_or_draw
from shoal._text import count
from shoal.errors import InputError, ParameterError
from shoal.frame import tables
from shoal.frame.roles import as_list, name_columns
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.types import as_types
from shoal.frame.weights import read_weights
from shoal.metrics._array_types import Values
from shoal.metrics.analyses._column_pairs import Side, read_pairs
from shoal.metrics.analyses._formula import formula_columns
from shoal.metrics.analyses._setting import AnalysisOptions, AnalysisSetting
from shoal.metrics.analyses.estimates import estimates
from shoal.metrics.analyses.group_by import group_by
from shoal.metrics.analyses.prediction import prediction
from shoal.metrics.analyses.propensity import propensity
from shoal.metrics.analyses.range_counts import range_counts
from shoal.metrics.analyses.regression import regression
from shoal.metrics.analyses.result import FIGURES, AnalysisResult, Utility
from shoal.metrics.evaluation.alignment import ORDER_DIFFERS, resolve_alignment
from shoal.metrics.evaluation.results_by_name import run_each
from shoal.metrics.subgroups import (
    MIN_GROUP,
    Subgroups,
    SubgroupSplit,
    check_min_group,
    split_subgroups,
)

Outcome = AnalysisResult | str
ANALYSES: dict[str, Callable[[AnalysisSetting], Outcome]] = {
    "propensity": propensity,
    "prediction": prediction,
    "regression": regression,
    "range-counts": range_counts,
    "group-by": group_by,
    "estimates": estimates,
}


@progress.shows_progress
def utility(
    original: IntoDataFrame,
    masked: IntoDataFrame,
    *,
    columns: Sequence[str] | None = None,
    target: str | Sequence[str] | None = None,
    formula: str | Sequence[str] | None = None,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    min_group: int = MIN_GROUP,
    measures: Sequence[str] | None = None,
    aligned: bool | None = None,
    n_resamples: int = 20,
    n_queries: int = 600,
    max_records: int = 10_000,
    types: Mapping[str, Any] | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Utility:
    """Compare analyses of the original and the masked table.

    Parameters
    ----------
    original : pandas, polars or pyarrow table
        The table before masking.
    masked : pandas, polars or pyarrow table
        The table after masking, by Shoal or by other software.
    columns : list of str, optional
        Columns to analyse; by default all common columns.
    target : str or list of str, optional
        Columns to predict from the other columns.
    formula : str or list of str, optional
        Regression models, such as ``"wage ~ education + experience"``.
    weight : str, optional
        Column of survey weights. If the masked table has this column too, its own weights are used.
    by : str or list of str, optional
        Columns of the original whose values form subgroups; all figures are also computed for each
        subgroup.
    min_group : int
        Minimum number of records of a group that may be shown. Smaller groups are merged. Choose at
        least the k of the release.
    measures : list of str, optional
        Names in `shoal.metrics.analyses.ANALYSES`; by default all analyses that are possible.
    aligned : bool, optional
        Whether both tables have the same records in the same order. By default, this is judged by
        their common columns: in a shuffled release, no column is related to the original, row by
        row. If the tables are not aligned, the masked records of a subgroup are found by their
        released values.
    n_resamples : int
        Number of bootstrap samples for the null distribution of the propensity score.
    n_queries : int
        Number of random range counts, and maximum number of group-by queries.
    max_records : int
        Maximum number of records from which propensity scores and predictions are computed, in a
        random sample of longer tables.
    types : mapping of str to str or mapping, optional
        Kinds of columns, if the table does not determine them; see `Plan`.
    random_state : int, Generator or None
        Seed of samples and random numbers; if None, one is drawn and stated in the result.
    n_jobs : int or None
        Number of threads; None or -1 for all cores.

    Returns
    -------
    Utility
        Results by name, with ``figures()``, ``to_dict()`` and tables as its ``repr``.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": [20, 22, 60, 62], "wage": [10.0, 12.0, 30.0, 32.0]})
    >>> masked = original.assign(wage=[12.0, 12.0, 31.0, 31.0])
    >>> result = utility(original, masked, measures=["estimates"], random_state=0)
    >>> round(result.figures()["total_error"], 4), round(result.figures()["mean_error"], 4)
    (0.0238, 0.0498)
    """
    names = as_list(measures) or list(ANALYSES)
    _check_analysis_names(names)
    check_at_least(2, n_resamples=n_resamples, max_records=max_records)
    check_at_least(1, n_queries=n_queries)
    check_min_group(min_group)
    original_frame, masked_frame = tables.open_frame(original), tables.open_frame(masked)
    declared_types = as_types(types)
    setting, remarks = _prepare_setting(
        original_frame,
        masked_frame,
        columns=columns,
        targets=as_list(target) if target is not None else [],
        formulas=as_list(formula) if formula is not None else [],
        weight=weight,
        types=declared_types,
        aligned=aligned,
        options=AnalysisOptions(
            n_resamples=n_resamples,
            n_queries=n_queries,
            max_records=max_records,
            min_group=min_group,
            seed=seed_or_draw(random_state),
            n_jobs=effective_n_jobs(n_jobs),
        ),
    )
    groups = None
    if by is not None:
        frames = [original_frame] if setting.aligned else [original_frame, masked_frame]
        split = split_subgroups(frames, by, min_group, declared_types)
        groups = _utility_by_group(setting, names, split)
        remarks += _remarks_on_groups(split)
    results, not_run = run_each("analyses", ANALYSES, names, setting)
    return Utility(
        results,
        not_run,
        records=len(original_frame),
        seed=setting.options.seed,
        remarks=tuple(remarks),
        groups=groups,
    )


def _remarks_on_groups(split: SubgroupSplit) -> list[str]:
    """Return a sentence on groups without masked records, if there are any."""
    n_empty = sum(not len(group.rows[-1]) for group in split.groups)
    if not n_empty:
        return []
    groups = count(n_empty, "group")
    return [f"{groups} without a masked record; no figures were computed for them."]


def _check_analysis_names(names: Sequence[str]) -> None:
    """Refuse names of analyses that do not exist."""
    for name in names:
        if name not in ANALYSES:
            raise ParameterError(
                f"There is no analysis {name!r}.{hint(name, ANALYSES)} Choose among:"
                f" {', '.join(ANALYSES)}.",
                code="unknown-measure",
                measure=name,
            )


def _utility_by_group(
    setting: AnalysisSetting, names: Sequence[str], split: SubgroupSplit
) -> Subgroups:
    """Analyse the records of each group in both tables."""
    utilities = []
    for group in split.groups:
        results: list[AnalysisResult] = []
        not_run = dict.fromkeys(names, "No masked record.")
        if len(group.rows[-1]):
            group_setting = setting.select_rows(group.rows[0], group.rows[-1])
            results, not_run = run_each("analyses", ANALYSES, names, group_setting)
        utilities.append(
            Utility(results, not_run, records=len(group.rows[0]), seed=setting.options.seed)
        )
    figures = tuple(result.figures() for result in utilities)
    directions = {name: info.better for name, info in FIGURES.items()}
    return Subgroups(split, figures, directions, results=tuple(utilities))


def _prepare_setting(
    original: Frame,
    masked: Frame,
    *,
    columns: Sequence[str] | None,
    targets: list[str],
    formulas: list[str],
    weight: str | None,
    types: Mapping[str, Any],
    aligned: bool | None,
    options: AnalysisOptions,
) -> tuple[AnalysisSetting, list[str]]:
    """Return the setting of the analyses and remarks; refuse columns that cannot be compared."""
    is_aligned = resolve_alignment(original, masked, types, aligned)
    tables.check_columns(original, types)
    analysed = (
        [name for name in original.columns if name in masked.columns]
        if columns is None
        else as_list(columns)
    )
    needed_columns = list(dict.fromkeys([*analysed, *targets, *formula_columns(formulas)]))
    for frame in (original, masked):
        tables.check_columns(frame, needed_columns)
    pairs, remarks = read_pairs(original, masked, needed_columns, types)
    not_comparable = [name for name in [*targets, *formula_columns(formulas)] if name not in pairs]
    usable = tuple(name for name in analysed if name in pairs and name != weight)
    if not_comparable or not usable:
        named_columns = not_comparable or needed_columns
        message = (
            f"{name_columns(named_columns)} cannot be compared: the kinds differ between the"
            " tables. Declare the type with `types`."
            if needed_columns
            else "The tables have no column in common. Compare tables with the same columns."
        )
        raise InputError(message, code="kinds-differ", columns=tuple(named_columns))
    weights, weights_remarks = _read_weights(original, masked, weight, aligned=is_aligned)
    is_order_unexpected = aligned is None and not is_aligned and len(original) == len(masked)
    order_remarks = [ORDER_DIFFERS] if is_order_unexpected else []
    setting = AnalysisSetting(
        pairs=pairs,
        columns=usable,
        targets=tuple(targets),
        formulas=tuple(formulas),
        weights=weights,
        aligned=is_aligned,
        options=options,
    )
    return setting, [*remarks, *weights_remarks, *order_remarks]


def _read_weights(
    original: Frame, masked: Frame, weight: str | None, *, aligned: bool
) -> tuple[dict[Side, Values] | None, list[str]]:
    """Return the weights of both tables, if any, and a remark if only the original has weights."""
    if weight is None:
        return None, []
    original_weights = read_weights(original, weight)
    if weight in masked.columns:
        return {"original": original_weights, "masked": read_weights(masked, weight)}, []
    if not aligned:
        raise InputError(
            "The masked table has no column of weights, and its rows do not match the rows of the"
            " original. Leave out `weight`.",
            code="no-weights",
            column=weight,
        )
    remark = "The masked table has no weights, so the weights of the original are used."
    return {"original": original_weights, "masked": original_weights}, [remark]
