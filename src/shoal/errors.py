"""Every exception and warning of Shoal, on one screen.

A message names the culprit, gives the number and shows the way out. It never
holds a value from the data. Programs and tests look at the ``code`` and the
attributes instead; the reference of the guide lists the codes.

An option in a message stands in backquotes, in the words of Python:
``Use `missing="drop"`.`` What a caller of the library sees has no backquotes; an
interface replaces the option by its own words, see `Coded.message_for`.
"""

import re
from collections.abc import Callable
from typing import Any

_OPTION = re.compile(r"`([a-z_]+)(?:=([^`]*))?`")

Wording = Callable[[str, str | None], str]
"""Return what an interface calls an option, from its name and its value as Python writes it."""


def python_wording(name: str, value: str | None) -> str:
    """Return an option as callers of the library write it.

    Parameters
    ----------
    name : str
        The option.
    value : str, optional
        Its value, as Python writes it.

    Returns
    -------
    str
        For example ``missing="drop"``.
    """
    return repr(name) if value is None else f"{name}={value}"


class Coded(Exception):
    """What exceptions and warnings of Shoal have in common: a code and attributes.

    Parameters
    ----------
    message : str
        One or two sentences; options in backquotes.
    code : str, optional
        What happened, the same in every version; that of the class by default.
    **attributes
        The names and numbers that the message speaks of, such as ``column``.
    """

    code = "coded"
    __str__ = Exception.__str__  # KeyError would quote the message, OSError show a file name

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
        """Return the message with its options in the words of an interface.

        Parameters
        ----------
        wording : callable
            What the interface calls an option; see `python_wording`.

        Returns
        -------
        str
            The message.
        """
        return _OPTION.sub(lambda option: wording(option[1], option[2]), self.template)

    def __reduce__(self) -> tuple[Any, ...]:
        # By what the constructor takes: errors are sent between processes.
        return _rebuild, (type(self), self.template, self.code, self.attributes), self.__dict__


def _rebuild(cls: type[Coded], template: str, code: str, attributes: dict[str, Any]) -> Coded:
    return cls(template, code=code, **attributes)


class ShoalError(Coded):
    """Anything Shoal refuses to do; the command line exits with 1."""


class ParameterError(ShoalError, ValueError, TypeError):
    """A parameter, a method or an option is wrong; the command line exits with 2."""


class InputError(ShoalError, ValueError):
    """The data cannot be used as they are."""


class ColumnError(InputError, KeyError):
    """A column is not there, is there twice or holds the wrong kind of values."""


class FileError(ShoalError, OSError):
    """A file cannot be read or written."""


class PlanError(ShoalError, ValueError):
    """A plan document cannot be understood, or asks for what does not fit together."""


class MissingDependency(ShoalError, ImportError):
    """An optional package is needed and not installed."""


class ClusterError(ShoalError):
    """The cluster that a large table was given to failed; nothing was released."""


class GuaranteeBroken(ShoalError):
    """A group below k was about to be released; nothing was."""


class NotKept(GuaranteeBroken):
    """The verdict on a release is "not kept", which nobody allowed; nothing was released."""

    verdict: Any = None


class ShoalWarning(Coded, UserWarning):
    """Something the person who signs for the release must know."""


class UnprotectedColumn(ShoalWarning):
    """A column without a role leaves unchanged and may help an attacker."""


class UnderProtection(ShoalWarning):
    """The columns together attain less than the k that was asked for."""


class NoGuarantee(ShoalWarning):
    """A column that attackers may know is masked by a step that promises no k-anonymity."""


class CellsSuppressed(ShoalWarning):
    """Cells were left empty to keep k; analysts must know how many."""


class HomogeneousGroup(ShoalWarning):
    """All records of a group share a confidential value; who is in it is known to have it."""


class SearchUnfinished(ShoalWarning):
    """An effort ended before it was done; the plan does not repeat its groups."""


class ConstantColumn(ShoalWarning):
    """A column is constant: it takes no part in the grouping."""


class StrataMerged(ShoalWarning):
    """Strata below k were merged with others, and records show another stratum than their own."""


class RevealingOrder(ShoalWarning):
    """The order of the released records shows which of them belong together."""


class MissingValues(ShoalWarning):
    """Because of missing values records were dropped, or cells suppressed or filled in."""


class FormulaCells(ShoalWarning):
    """Cells of a text table look like formulas, which a spreadsheet program would run."""


class ScratchFilesLeft(ShoalWarning):
    """Scratch files of a large table could not be removed; they hold records as they came."""
