"""The function `attack`: attacks on a release by someone who knows part of the original."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shoal import _progress as progress
from shoal._jobs import effective_n_jobs
from shoal._params import RandomState, check_at_least, hint
from shoal._seeds import seed_or_draw
from shoal.errors import InputError, ParameterError
from shoal.frame import tables
from shoal.frame.codes import keys
from shoal.frame.roles import RECORD_UNIT, as_list, name_columns
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.types import Type, as_types
from shoal.metrics import classes, fewest_units, largest_unit_share, smallest_class
from shoal.metrics._array_types import Labels
from shoal.metrics.attacks import singling_out
from shoal.metrics.attacks._setting import AttackOptions, AttackSetting
from shoal.metrics.attacks._tables import AttackTables, read_tables
from shoal.metrics.attacks.inference import inference
from shoal.metrics.attacks.linkability import linkability
from shoal.metrics.attacks.linkage import distance_linkage, rank_linkage
from shoal.metrics.attacks.membership import membership
from shoal.metrics.attacks.probabilistic_linkage import probabilistic_linkage
from shoal.metrics.attacks.reconstruction import reconstruction
from shoal.metrics.attacks.result import AttackResult, Attacks
from shoal.metrics.attacks.splink_linkage import splink_linkage
from shoal.metrics.evaluation.alignment import ORDER_DIFFERS, resolve_alignment
from shoal.metrics.evaluation.inputs import check_assessed_columns, read_unit_codes
from shoal.metrics.evaluation.results_by_name import run_each
from shoal.metrics.subgroups import MIN_GROUP, Subgroups, SubgroupSplit, split_subgroups

Outcome = AttackResult | list[AttackResult] | str
ATTACKS: dict[str, Callable[[AttackSetting], Outcome]] = {
    "singling-out-univariate": singling_out.univariate,
    "singling-out-multivariate": singling_out.multivariate,
    "singling-out-all-columns": singling_out.all_columns,
    "linkability": linkability,
    "inference": inference,
    "membership": membership,
    "linkage-distance": distance_linkage,
    "linkage-rank": rank_linkage,
    "linkage-probabilistic": probabilistic_linkage,
    "reconstruction": reconstruction,
    "linkage-splink": splink_linkage,
}
DEFAULT_ATTACKS = tuple(name for name in ATTACKS if name != "linkage-splink")  # needs an extra


@progress.shows_progress
def attack(
    original: IntoDataFrame,
    released: IntoDataFrame,
    *,
    quasi_identifiers: Sequence[str],
    confidential: Sequence[str] = (),
    control: IntoDataFrame | None = None,
    attacks: Sequence[str] | None = None,
    n_attacks: int = 2000,
    unit: str | None = None,
    halves: tuple[Sequence[str], Sequence[str]] | None = None,
    tolerance: float = 0.05,
    predicate_columns: int = 3,
    aligned: bool | None = None,
    types: Mapping[str, Any] | None = None,
    by: str | Sequence[str] | None = None,
    min_group: int = MIN_GROUP,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Attacks:
    """Attack a release and measure how often each attack succeeds.

    Each result has the success rate with a 95 % Wilson interval, a baseline that does not need the
    release, and the ceiling that k-anonymity implies, if there is one. Targets are a random sample
    of the records. Numbers are compared on the scale of the release; categories are equal or not.

    Parameters
    ----------
    original : pandas, polars or pyarrow table
        The table before masking.
    released : pandas, polars or pyarrow table
        The table after masking, by Shoal or by other software.
    quasi_identifiers : list of str
        Columns that the attacker knows of a person, with their original values.
    confidential : list of str
        Columns that the attacker wants to learn.
    control : pandas, polars or pyarrow table, optional
        Records of the same kind that are not in the original: what attacks reveal about them is not
        due to the release. Membership inference needs it.
    attacks : list of str, optional
        Names in `shoal.metrics.attacks.ATTACKS`; by default all attacks that are possible, except
        ``"linkage-splink"``, which confirms probabilistic linkage by the package splink (extra
        ``splink``).
    n_attacks : int
        Maximum number of attacks of each kind; there are fewer if there are fewer records.
    unit : str, optional
        Column of the original that identifies units: persons, households or firms. A link to any
        record of the same unit is then right, and k is counted in units.
    halves : pair of lists of str, optional
        Columns of the two sources for linkability; by default, every second quasi-identifier and
        the others.
    tolerance : float
        Relative error within which a guessed number is right.
    predicate_columns : int
        Number of columns in a multivariate predicate.
    aligned : bool, optional
        Whether both tables have the same records in the same order, which linkage and
        reconstruction need. By default, this is judged by their common columns: in a shuffled
        release, no column is related to the original, row by row.
    types : mapping of str to str or mapping, optional
        Kinds of columns, if the table does not determine them; see `Plan`.
    by : str or list of str, optional
        Columns of the original whose values form subgroups; the targets of each group are then
        attacked too, in the whole release. Singling out has no particular target, so it has no
        subgroups.
    min_group : int
        Minimum number of records, or units, of a group that may be shown. Smaller groups are
        merged. Choose at least the k of the release.
    random_state : int, Generator or None
        Seed of samples and random numbers; if None, one is drawn and stated in the result.
    n_jobs : int or None
        Number of threads; None or -1 for all cores.

    Returns
    -------
    Attacks
        Results by name, with ``to_dict()`` and a table as its ``repr``.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": [20, 22, 60, 62], "ill": ["no", "yes", "no", "no"]})
    >>> released = original.assign(age=[21, 21, 61, 61])
    >>> attacks = attack(
    ...     original, released, quasi_identifiers=["age"], confidential=["ill"], random_state=0
    ... )
    >>> attacks["linkage-distance"].rate, attacks["linkage-distance"].ceiling
    (0.5, 0.5)
    """
    names = as_list(attacks) or list(DEFAULT_ATTACKS)
    _check_attack_names(names)
    check_at_least(1, n_attacks=n_attacks, predicate_columns=predicate_columns)
    original_frame, released_frame = tables.open_frame(original), tables.open_frame(released)
    control_frame = None if control is None else tables.open_frame(control)
    declared_types = as_types(types)
    options = AttackOptions(
        n_attacks=n_attacks,
        tolerance=tolerance,
        predicate_columns=predicate_columns,
        halves=None if halves is None else (tuple(halves[0]), tuple(halves[1])),
        seed=seed_or_draw(random_state),
        n_jobs=effective_n_jobs(n_jobs),
    )
    setting = _prepare_setting(
        original_frame,
        released_frame,
        control_frame,
        quasi_identifiers=as_list(quasi_identifiers),
        confidential=as_list(confidential),
        types=declared_types,
        aligned=aligned,
        unit=unit,
        options=options,
    )
    unit_name = RECORD_UNIT if unit is None else unit
    groups = None
    if by is not None:
        frames = [original_frame]
        if control_frame is not None and set(as_list(by)) <= set(control_frame.columns):
            frames.append(control_frame)
        split = split_subgroups(frames, by, min_group, declared_types, setting.units)
        groups = _attack_by_group(setting, split, names, unit_name)
    results, not_run = run_each("attacks", ATTACKS, names, setting)
    return Attacks(
        results,
        not_run,
        k=setting.k,
        unit=unit_name,
        seed=setting.options.seed,
        remarks=tuple(setting.tables.remarks),
        groups=groups,
    )


def _check_attack_names(names: Sequence[str]) -> None:
    """Refuse names of attacks that do not exist."""
    for name in names:
        if name not in ATTACKS:
            raise ParameterError(
                f"There is no attack {name!r}.{hint(name, ATTACKS)} Choose among:"
                f" {', '.join(ATTACKS)}.",
                code="unknown-attack",
                attack=name,
            )


def _attack_by_group(
    setting: AttackSetting, split: SubgroupSplit, names: Sequence[str], unit: str
) -> Subgroups:
    """Attack the records of each group, with its control records if the control was split too."""
    targeted_attacks = [name for name in names if not name.startswith("singling-out")]
    results = []
    for group in split.groups:
        eligible_control_rows = group.rows[1] if len(group.rows) > 1 else None
        group_setting = setting.with_targets_of(group.rows[0], eligible_control_rows)
        group_results, not_run = run_each("attacks", ATTACKS, targeted_attacks, group_setting)
        results.append(
            Attacks(group_results, not_run, k=setting.k, unit=unit, seed=setting.options.seed)
        )
    figures = tuple(result.figures() for result in results)
    noun = RECORD_UNIT if setting.units is None else "unit"
    figure_names = dict.fromkeys(name for group_figures in figures for name in group_figures)
    return Subgroups(split, figures, dict.fromkeys(figure_names, "lower"), noun, tuple(results))


def _prepare_setting(
    original: Frame,
    released: Frame,
    control: Frame | None,
    *,
    quasi_identifiers: list[str],
    confidential: list[str],
    types: Mapping[str, Type],
    aligned: bool | None,
    unit: str | None,
    options: AttackOptions,
) -> AttackSetting:
    """Return the setting of the attacks; refuse unknown columns and tables that do not match."""
    check_assessed_columns(quasi_identifiers, confidential)
    tables.check_columns(original, [*quasi_identifiers, *confidential])
    is_aligned = resolve_alignment(original, released, types, aligned)
    attack_tables = read_tables(original, released, control, types, aligned=is_aligned)
    if aligned is None and not is_aligned and len(original) == len(released):
        attack_tables.remarks.append(ORDER_DIFFERS)
    comparable = tuple(name for name in quasi_identifiers if name in attack_tables.released)
    if not comparable:
        raise InputError(
            f"{name_columns(quasi_identifiers, 'Quasi-identifier', 'Quasi-identifiers')} cannot be"
            " compared between the tables. Name quasi-identifiers that are in both tables.",
            code="quasi-identifiers-needed",
            columns=tuple(quasi_identifiers),
        )
    attack_tables.remarks.extend(_remarks_on_tables(original, released, control, quasi_identifiers))
    released_names = [name for name in quasi_identifiers if name in released.columns]
    released_classes = classes(keys(released, released_names))[:, np.newaxis]
    units = None if unit is None else _read_aligned_units(original, unit, is_aligned)
    k_in_records = smallest_class(released_classes)
    _check_halves(options.halves or (), released, attack_tables)
    return AttackSetting(
        attack_tables,
        comparable,
        tuple(name for name in confidential if name in attack_tables.released),
        k=k_in_records if units is None else fewest_units(released_classes, units),
        smallest_class=k_in_records,
        unit_share=1 / k_in_records
        if units is None
        else largest_unit_share(released_classes, units),
        units=units,
        aligned=is_aligned,
        options=options,
    )


def _remarks_on_tables(
    original: Frame, released: Frame, control: Frame | None, quasi_identifiers: list[str]
) -> Iterator[str]:
    """Yield sentences on a control table that is short, and on columns that were not released."""
    if control is not None and len(control) < len(original):
        yield (
            f"The control table has {len(control):,} records and the original {len(original):,}, so"
            " the baseline of singling out refers to a shorter table."
        )
    not_released = [name for name in quasi_identifiers if name not in released.columns]
    if not_released:
        yield f"Not used, because not in the release: {', '.join(map(repr, not_released))}."


def _check_halves(
    halves: Sequence[Sequence[str]], released: Frame, attack_tables: AttackTables
) -> None:
    """Refuse halves that are empty or have columns that cannot be compared between the tables."""
    for half in halves:
        tables.check_columns(released, half)
        if not half or any(name not in attack_tables.released for name in half):
            raise InputError(
                "Each half needs columns whose values can be compared between the tables.",
                code="halves-not-comparable",
                columns=half,
            )


def _read_aligned_units(original: Frame, unit: str, aligned: bool) -> Labels:
    """Return the unit of each record; refuse tables whose records are not in the same order."""
    tables.check_columns(original, [unit])
    if not aligned:
        raise InputError(
            "Units need the same records in the same order in both tables. Leave out `unit`.",
            code="records-differ",
        )
    return read_unit_codes(original, unit)
