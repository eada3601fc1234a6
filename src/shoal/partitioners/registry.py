"""The methods by name, and the function that runs one."""

from typing import Any

from numpy.typing import ArrayLike

from shoal import parameters
from shoal.errors import ParameterError
from shoal.partitioners._base import Partition, Partitioner
from shoal.partitioners.auto import Auto
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.mdav1 import MDAV1
from shoal.partitioners.optimal import Optimal

METHODS: dict[str, type[Partitioner]] = {
    "auto": Auto,
    "mdav": MDAV,
    "mdav1": MDAV1,
    "optimal": Optimal,
}


def partitioner(method: str | Partitioner, options: dict[str, Any]) -> Partitioner:
    """Return the partitioner that ``method`` names, made with ``options``.

    A partitioner object is returned as it is; options beside it would have to
    be ignored, so they are refused.
    """
    if isinstance(method, Partitioner):
        if options.pop("k", method.k) != method.k or options:
            raise ParameterError(
                f"{type(method).__name__} carries its own options. Set them there, or give the"
                " method by name."
            )
        return method
    if method not in METHODS:
        raise ParameterError(
            f"There is no method {method!r}.{parameters.hint(str(method), METHODS)}"
            f" Choose one of: {', '.join(METHODS)}."
        )
    return parameters.build(METHODS[method], options)  # type: ignore[no-any-return]


def method_name(fitted: Partitioner) -> str:
    """Return the registry name of a partitioner, or its class name if it is not registered."""
    names = {cls: name for name, cls in METHODS.items()}
    return names.get(type(fitted), type(fitted).__name__)


def partition(
    X: ArrayLike, k: int, method: str | Partitioner = "auto", **options: Any
) -> Partition:
    """Group the rows of ``X`` into groups of at least ``k``.

    Parameters
    ----------
    X : array-like of shape (n_records, n_columns)
        Records in comparable units: distances are taken as they are.
    k : int
        Least number of records in a group.
    method : str or Partitioner
        A name in `METHODS`, or a partitioner. ``"auto"`` is our advice.
    **options
        Further parameters of the method.

    Returns
    -------
    Partition
        The groups: ``labels``, ``sizes``, ``n_groups`` and ``k``.

    Examples
    --------
    >>> partition([[0], [9], [1], [8]], k=2, method="mdav").labels
    array([0, 1, 0, 1])
    """
    return partitioner(method, {"k": k, **options}).fit(X).partition_
