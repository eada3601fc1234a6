"""Exceptions and warnings of Shoal.

A message names what is wrong, gives the number and states a way out. It never contains a
value from the data. Programs and tests should check ``code`` and the attributes, not the message;
the reference in the documentation lists the codes.

Options are marked by backquotes in the message template and written as in Python:
``Use `missing="drop"`.`` ``str(error)`` shows them without backquotes; the command line and the
page replace them by their own option or field names, see `Coded.message_for`.
"""

import re
from collections.abc import Callable
from typing import Any

_OPTION = re.compile(r"`([a-z_]+)(?:=([^`]*))?`")

Wording = Callable[[str, str | None], str]
"""Maps an option and its value, both in Python notation, to what an interface calls them."""


def python_wording(name: str, value: str | None) -> str:
    """Return an option in Python notation.

    Parameters
    ----------
    name : str
        Name of the option.
    value : str, optional
        Its value in Python notation.

    Returns
    -------
    str
        For example ``missing="drop"``.
    """
    return repr(name) if value is None else f"{name}={value}"


class Coded(Exception):
    """Base of all exceptions and warnings of Shoal: a message with a code and attributes.

    Parameters
    ----------
    message : str
        One or two sentences, with options in backquotes.
    code : str, optional
        Stable identifier of what happened; by default derived from the name of the class.
    **attributes
        Names and numbers that the message mentions, such as ``column``.
    """

    code = "coded"
    __str__ = Exception.__str__  # KeyError would quote the message, OSError add a file name

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()

    def __init__(self, message: str = "", /, *, code: str | None = None, **attributes: Any) -> None:
        self.template = str(message)
        self.attributes = attributes
        super().__init__(self.message_for(python_wording))
        if code is not None:
            self.code = code
        for name, value in attributes.items():
            setattr(self, name, value)

    def message_for(self, wording: Wording) -> str:
        """Return the message with its options as an interface writes them.

        Parameters
        ----------
        wording : callable
            Maps an option to its name in the interface; see `python_wording`.

        Returns
        -------
        str
            The message.
        """
        return _OPTION.sub(lambda option: wording(option[1], option[2]), self.template)

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes pickle errors, so rebuild them from the constructor's arguments.
        return _rebuild, (type(self), self.template, self.code, self.attributes), self.__dict__


def _rebuild(cls: type[Coded], template: str, code: str, attributes: dict[str, Any]) -> Coded:
    return cls(template, code=code, **attributes)


class ShoalError(Coded):
    """Base class of all errors; the command line exits with status 1 unless stated otherwise."""


class ParameterError(ShoalError, ValueError, TypeError):
    """A parameter, method or option is invalid; the command line exits with status 2."""


class InputError(ShoalError, ValueError):
    """The data are unsuitable and must be changed first."""


class InputTypeError(InputError, TypeError):
    """The data contain objects that are not numbers."""


class ColumnError(InputError, KeyError):
    """A column is absent, duplicated or contains the wrong kind of values."""


class FileError(ShoalError, OSError):
    """A file cannot be read or written."""

    @classmethod
    def unreadable(
        cls, path: object, error: OSError, default_reason: str = "I/O error"
    ) -> "FileError":
        """Return the error for a file that the operating system did not read."""
        reason = (error.strerror or default_reason).lower()
        return cls(
            f"{str(path)!r} could not be read: {reason}.", code="file-unreadable", file=str(path)
        )


class PlanError(ShoalError, ValueError):
    """A plan is malformed or contradicts itself; the command line exits with status 2."""


class MissingDependency(ShoalError, ImportError):
    """A required optional package is not installed."""


class ClusterError(ShoalError):
    """The cluster or the pool of processes failed; nothing was released."""


class GuaranteeBroken(ShoalError):
    """A group would have fewer than k records or units; nothing was released."""


class NotKept(GuaranteeBroken):
    """The verdict is "not kept" and `allow_not_kept` is not set; nothing was released."""

    verdict: Any = None


class ShoalWarning(Coded, UserWarning):
    """Base class of warnings that concern the protection or the quality of a release."""


class UnprotectedColumn(ShoalWarning):
    """A column without a role is released unchanged and may help an attacker."""


class UnderProtection(ShoalWarning):
    """The released quasi-identifiers together attain a smaller k than requested."""


class NoGuarantee(ShoalWarning):
    """A quasi-identifier is masked by a step that does not guarantee k-anonymity."""


class CellsSuppressed(ShoalWarning):
    """Cells were suppressed to attain k."""


class ValuesGeneralised(ShoalWarning):
    """Values were recoded to coarser categories to attain k."""


class ValuesRandomised(ShoalWarning):
    """Values were changed at random with known probabilities."""


class HomogeneousGroup(ShoalWarning):
    """All records of a group share a confidential value, so membership discloses the value."""


class SearchUnfinished(ShoalWarning):
    """A search stopped early, so running the plan again may give other groups."""


class ColumnsWeighted(ShoalWarning):
    """Columns have different weights in distances, so the loss is stated with and without them."""


class ConstantColumn(ShoalWarning):
    """A column is constant and has no influence on the grouping."""


class StrataMerged(ShoalWarning):
    """Strata with fewer than k records were merged and show the value of the largest of them."""


class RevealingOrder(ShoalWarning):
    """The order of the released records reveals which of them belong together."""


class KindInferred(ShoalWarning):
    """The kind of a column was inferred from labels, its name or its values."""


class MissingValues(ShoalWarning):
    """Records were dropped, or cells suppressed or imputed, because of missing values."""


class FormulaCells(ShoalWarning):
    """Cells of a text table look like formulas that a spreadsheet program would evaluate."""


class ScratchFilesLeft(ShoalWarning):
    """Scratch files with original records could not be removed."""
