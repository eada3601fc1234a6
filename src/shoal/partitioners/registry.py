"""The methods by name, and the function that runs one."""

import re
from inspect import getdoc
from typing import Any

from numpy.typing import ArrayLike

from shoal import parameters
from shoal.errors import ParameterError
from shoal.partitioners._base import Partition, Partitioner
from shoal.partitioners.auto import Auto
from shoal.partitioners.centroid_mdav import CentroidMDAV
from shoal.partitioners.cvmdav import CVMDAV
from shoal.partitioners.dba1 import DBA1
from shoal.partitioners.dba2 import DBA2
from shoal.partitioners.lloyd import Lloyd
from shoal.partitioners.md import MD
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.mdav1 import MDAV1
from shoal.partitioners.mdav2 import MDAV2
from shoal.partitioners.mst import MST
from shoal.partitioners.mu_approx import MuApprox
from shoal.partitioners.mward import MWard
from shoal.partitioners.optimal import Optimal
from shoal.partitioners.sorted import Sorted
from shoal.partitioners.tfrp import TFRP
from shoal.partitioners.two_mu_approx import TwoMuApprox
from shoal.partitioners.univariate import Univariate
from shoal.partitioners.vmdav import VMDAV

METHODS: dict[str, type[Partitioner]] = {
    "auto": Auto,
    "centroid-mdav": CentroidMDAV,
    "cvmdav": CVMDAV,
    "dba1": DBA1,
    "dba2": DBA2,
    "lloyd": Lloyd,
    "md": MD,
    "mdav": MDAV,
    "mdav1": MDAV1,
    "mdav2": MDAV2,
    "mst": MST,
    "mu-approx": MuApprox,
    "mward": MWard,
    "optimal": Optimal,
    "sorted": Sorted,
    "tfrp": TFRP,
    "two-mu-approx": TwoMuApprox,
    "univariate": Univariate,
    "vmdav": VMDAV,
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


def describe(cls: type[Partitioner]) -> dict[str, Any]:
    """Return the facts about a method that help to choose it."""
    return {
        "groups": cls.facts.groups,
        "draws": "seeded" if "random_state" in parameters.declared(cls) else "no",
        "cost": cls.facts.cost,
        "paper": cls.facts.paper,
        "guarantee": cls.facts.guarantee,
        "summary": re.sub(r",?( of)? \[\w+\]_", "", (getdoc(cls) or "").split("\n")[0]),
        "parameters": {
            name: {"expects": p.expected, "default": None if p.required else p.default}
            for name, p in parameters.declared(cls).items()
        },
    }


def partition(
    X: ArrayLike,
    k: int,
    method: str | Partitioner = "auto",
    *,
    effort: str | None = None,
    budget: float | None = None,
    **options: Any,
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
    effort : str, optional
        Not available yet.
    budget : float, optional
        Not available yet.
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
    refuse_effort(effort, budget)
    return partitioner(method, {"k": k, **options}).fit(X).partition_


def refuse_effort(effort: str | None, budget: float | None) -> None:
    """Refuse what is announced and not there yet, rather than ignore it."""
    for name, value in {"effort": effort, "budget": budget}.items():
        if value is not None:
            raise ParameterError(f"{name}={value!r} is not available yet. Leave it out.")
