"""Blocks of options that several commands share.

A block is a dataclass whose fields are typer options. A command takes the block as one parameter;
`expand_blocks` turns it into the single options that typer reads.
"""

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_type_hints

from typer.models import OptionInfo

# The options of the running command, such as -c and --column; None outside the command line.
running_flags: ContextVar[frozenset[str] | None] = ContextVar("running_flags", default=None)


def expand_blocks(command: Callable[..., None]) -> Callable[..., None]:
    """Return ``command`` with every parameter that is a block replaced by the block's options.

    Parameters
    ----------
    command : callable
        Function whose annotations are typer options, typer arguments or blocks.

    Returns
    -------
    callable
        Function that takes single options, builds the blocks and calls ``command``.
    """
    hints = get_type_hints(command, include_extras=True)
    blocks: dict[str, Any] = {}
    expanded_parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        annotation = hints[parameter.name]
        if is_dataclass(annotation):
            blocks[parameter.name] = annotation
            expanded_parameters += _block_parameters(annotation)
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            expanded_parameters.append(parameter.replace(kind=kind, annotation=annotation))

    flags = frozenset(
        flag for parameter in expanded_parameters for flag in _flags(parameter.annotation)
    )

    @functools.wraps(command)
    def run(**values: Any) -> None:
        for name, block in blocks.items():
            values[name] = block(**{field.name: values.pop(field.name) for field in fields(block)})
        token = running_flags.set(flags)
        try:
            command(**values)
        finally:
            running_flags.reset(token)

    run.__signature__ = inspect.Signature(expanded_parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {
        parameter.name: parameter.annotation for parameter in expanded_parameters
    }
    return run


def _flags(annotation: Any) -> list[str]:
    """Return the names of the option that an annotation declares, such as ``-c``."""
    options = [metadata for metadata in get_args(annotation) if isinstance(metadata, OptionInfo)]
    # In an annotation, typer.Option takes the first name for a default value.
    names = [name for option in options for name in (option.default, *(option.param_decls or ()))]
    return [flag for name in names if isinstance(name, str) for flag in name.split("/")]


def _block_parameters(block: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(block, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(block)
    ]
