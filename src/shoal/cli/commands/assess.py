"""``shoal assess``: compare a masked file with its original."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from shoal.cli import options
from shoal.cli.command_limits import CommandLimits
from shoal.cli.console.session import print_result, session
from shoal.cli.options.declarations import columns_option, measures_option
from shoal.cli.original import read_original
from shoal.cli.parsing.settings import split_commas
from shoal.errors import InputError, ParameterError

if TYPE_CHECKING:
    from shoal.metrics.assessment import Assessment

QuasiIdentifiers = Annotated[
    list[str] | None,
    columns_option(
        "-c", "--column", help="Quasi-identifiers; by default every column that differs."
    ),
]
Measures = Annotated[
    list[str] | None,
    measures_option(metavar="MEASURE,...", help="Measures to compute; all by default."),
]
# Options that provide an input of a measure, by its name in `shoal.metrics.NEEDS`.
OPTIONS_BY_NEED = {
    "units": "--unit",
    "weights": "--weight",
    "confidential": "--confidential",
    "confidential_codes": "--confidential",
    "categories": "--confidential",
    "ordered": "--confidential",
    "other_categories": "--confidential",
}


def assess(
    original: options.Original,
    masked: options.Masked,
    read_options: options.ReadOptions,
    column: QuasiIdentifiers = None,
    confidential: options.Confidential = None,
    measure: Measures = None,
    weight: options.SurveyWeight = None,
    unit: options.UnitOfOriginal = None,
    types: options.Types = None,
    missing_codes: options.MissingCodes = None,
    masked_table: options.MaskedTable = None,
    by: options.By = None,
    min_group: options.MinGroup = 5,
    aligned: options.Aligned = False,
    limits: options.LimitsOnFigures = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Measure utility and risk of MASKED against ORIGINAL.

    With --limits, shows whether each limit on a measure is met.
    """
    with session(quiet=quiet):
        from shoal.metrics.assessment import assess as assess_tables
        from shoal.metrics.assessment import changed_columns

        command_limits = CommandLimits(limits, "assess")
        original_data = read_original(original, read_options.dialect(), types, missing_codes)
        column, confidential, by = original_data.split(column, confidential, by)
        masked_data = original_data.read_alike(masked, masked_table)
        quasi_identifiers = column or [
            name
            for name in changed_columns(original_data.table, masked_data)
            if name not in (confidential or ())
        ]
        with _naming_options(confidential or ()):
            measures = assess_tables(
                original_data.table,
                masked_data,
                quasi_identifiers=quasi_identifiers,
                confidential=confidential or (),
                measures=split_commas(measure) if measure else None,
                types=original_data.types,
                weight=weight,
                unit=unit,
                by=by,
                min_group=min_group,
                aligned=aligned or None,
            )
        command_limits.check(measures)
        content = _content(measures, quasi_identifiers) | command_limits.content
        text = _text(measures, quasi_identifiers, confidential or (), masked_data.column_names)
        print_result(content, text + command_limits.text, as_json=json, quiet=quiet)
        command_limits.exit_if_not_met()


def _content(measures: "Assessment", quasi_identifiers: Sequence[str]) -> dict[str, Any]:
    """Return the measures and their quasi-identifiers for JSON."""
    return {
        "quasi_identifiers": quasi_identifiers,
        "measures": measures,
        "remarks": measures.remarks,
        **({} if measures.groups is None else {"groups": measures.groups.to_dict()}),
    }


def _text(
    measures: "Assessment",
    quasi_identifiers: Sequence[str],
    confidential: Sequence[str],
    columns: Sequence[str],
) -> str:
    """Return the measures as text, with the columns that were assessed and those that were not."""
    from shoal.report.summary import describe_measure
    from shoal.report.text import measures_text

    text = f"quasi-identifiers: {', '.join(quasi_identifiers)}\n"
    other_columns = [name for name in columns if name not in (*quasi_identifiers, *confidential)]
    if other_columns:
        text += f"not assessed: {', '.join(other_columns)}\n"
    meanings = {name: describe_measure(name)["meaning"] for name in measures}
    remarks = {
        name: _name_option(remark, measures.unmet_needs.get(name), confidential)
        for name, remark in measures.remarks.items()
    }
    text += measures_text(measures, remarks, meanings)
    if measures.groups is not None:
        text += f"\n\n{measures.groups}"
    return text


def _name_option(reason: str, need: str | None, confidential: Sequence[str]) -> str:
    """Return why a measure is not computed, with the option that provides the input ``need``."""
    option = OPTIONS_BY_NEED.get(need or "")
    if option is None or (option == "--confidential" and confidential):
        return reason
    return f"{reason.removesuffix('.')} ({option})."


@contextmanager
def _naming_options(confidential: Sequence[str]) -> Iterator[None]:
    """Turn the refusal of a measure that lacks an option into an error of the command line."""
    try:
        yield
    except InputError as error:
        message = _name_option(error.template, error.attributes.get("need"), confidential)
        if error.code != "measure-not-computable" or message == error.template:
            raise
        raise ParameterError(message, code=error.code, **error.attributes) from None
