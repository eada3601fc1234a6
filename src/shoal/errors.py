"""Every exception and warning of Shoal, on one screen.

A message names the culprit, gives the number and shows the way out. It never
holds a value from the data.
"""

from typing import Any


class ShoalError(Exception):
    """Anything Shoal refuses to do; the command line exits with 1."""


class ParameterError(ShoalError, ValueError, TypeError):
    """A parameter, a method or an option is wrong; the command line exits with 2."""


class InputError(ShoalError, ValueError):
    """The data cannot be used as they are."""


class ColumnError(InputError, KeyError):
    """A column is not there, is there twice or holds the wrong kind of values."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


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

    verdict: Any = None  # the Verdict


class ShoalWarning(UserWarning):
    """Something the person who signs for the release must know."""


class UnprotectedColumn(ShoalWarning):
    """A column without a role leaves unchanged and may help an attacker."""


class UnderProtection(ShoalWarning):
    """The columns together attain less than the k that was asked for."""


class NoPromise(ShoalWarning):
    """A column that attackers may know is masked by a step that promises no k-anonymity."""


class CellsSuppressed(ShoalWarning):
    """Cells were left empty to keep k; analysts must know how many."""


class HomogeneousGroup(ShoalWarning):
    """All records of a group share a confidential value; who is in it is known to have it."""


class Unfinished(ShoalWarning):
    """An effort ended before it was done; the plan does not repeat its groups."""


class NoSpread(ShoalWarning):
    """A column is constant: it takes no part in the grouping."""


class StrataMerged(ShoalWarning):
    """Strata below k were merged with others, and records show another stratum than their own."""


class TellingOrder(ShoalWarning):
    """The order of the released records shows which of them belong together."""


class MissingValues(ShoalWarning):
    """Because of missing values records were dropped, or cells suppressed or filled in."""


class ScratchLeft(ShoalWarning):
    """Scratch files of a large table could not be removed; they hold records as they came."""
