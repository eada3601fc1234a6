"""Wording of options in messages: in the notation of the command line or of a plan."""

from collections.abc import Collection

from shoal.errors import Wording, python_wording

FILE_FLAGS = {
    "force": "--force",
    "separator": "--separator",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "missing_text": "--missing-text",
    "sheet": "--sheet",
    "layout": "--layout",
    "table": "--table",
    "target_table": "--target-table",
    "keep_notes": "--keep-notes",
    "memory_limit": "--memory-limit",
    "mark_formulas": "--mark-formulas",
    "allow_not_kept": "--allow-not-kept",
    "scheduler": "--scheduler",
    "client": "--scheduler",  # its name in Python
    "scratch": "--scratch",
    "chunk_size": "--chunk-size",
    "manifest": "--manifest",
    "sign": "--sign",
    "hash_key": "--hash-key",
    "audience": "--audience",
}
# Parameters with an option of their own, which --set refuses.
DEDICATED_FLAGS = {
    "k": "-k",
    "columns": "-c",
    "method": "-m",
    "partitioner": "-m",
    "random_state": "--seed",
    "within": "--within",
    "unit": "--unit",
    "household": "--household",
    "weight": "--weight",
    "effort": "--effort",
    "budget": "--budget",
    "shuffle": "--shuffle",
    "n_jobs": "--n-jobs",
}
PLAN_FLAGS = {
    **DEDICATED_FLAGS,
    "missing": "--missing",
    "column_weights": "--column-weight",
    "identifiers": "-i",
    "confidential": "--confidential",
    "types": "--type",
    "missing_codes": "--missing-codes",
    "edits": "--edit",
    "repair": "--repair",
}
# Options of commands that measure and advise, and do not release.
MEASURE_FLAGS = {
    "formula": "--formula",
    "min_group": "--min-group",
    "n_plans": "--plans",
    "aligned": "--aligned",
    "sampling_fraction": "--sampling-fraction",
    "max_size": "--max-size",
}
FLAGS = {**FILE_FLAGS, **PLAN_FLAGS, **MEASURE_FLAGS}


def command_wording(name: str, value: str | None) -> str:
    """Return an option in the notation of ``shoal mask``.

    >>> command_wording("missing", '"drop"'), command_wording("small_strata", '"merge"')
    ('--missing drop', '--set small_strata=merge')
    >>> command_wording("force", "True"), command_wording("k", None)
    ('--force', '-k')
    """
    flag = FLAGS.get(name)
    argument = None if value in (None, "True") else value.strip("\"'")
    if flag is None:
        return f"--set {name}={'...' if argument is None else argument}"
    return flag if argument is None else f"{flag} {argument}"


def wording_for_flags(flags: Collection[str], wording: Wording) -> Wording:
    """Return a wording that names only the options of a command.

    Other options are worded with ``--set`` if the command has it, and as in Python otherwise.

    >>> wording_for_flags({"-k", "--set"}, command_wording)("missing", '"drop"')
    '--set missing=drop'
    >>> wording_for_flags({"-k"}, command_wording)("missing", '"drop"')
    'missing="drop"'
    """

    def worded(name: str, value: str | None) -> str:
        text = wording(name, value)
        if not text.startswith("-") or text.split()[0] in flags:
            return text
        if "--set" in flags and name not in DEDICATED_FLAGS:
            argument = "..." if value is None else value.strip("\"'")
            return f"--set {name}={argument}"
        return python_wording(name, value)

    return worded


def step_wording(name: str, value: str | None) -> str:
    """Return an option in the notation of a step's command.

    >>> step_wording("min_count", "5"), step_wording("k", None)
    ('--min-count 5', '-k')
    """
    if name in FLAGS:
        return command_wording(name, value)
    flag = f"--{name.replace('_', '-')}"
    return flag if value in (None, "True") else f"{flag} {value.strip(chr(34))}"


def plan_wording(name: str, value: str | None) -> str:
    """Return an option in the notation of a plan document; options of files stay options.

    >>> plan_wording("missing", '"drop"'), plan_wording("within", None)
    ('missing = "drop"', "'within'")
    >>> plan_wording("force", "True"), plan_wording("shuffle", "True")
    ('--force', 'shuffle = true')
    """
    if name in FILE_FLAGS:
        return command_wording(name, value)
    if value in ("True", "False"):
        value = value.lower()
    return repr(name) if value is None else f"{name} = {value}"
