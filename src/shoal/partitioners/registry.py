"""The methods by name, and the function that runs one."""

import re
from collections.abc import Mapping
from inspect import getdoc
from numbers import Integral
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from shoal import _params as parameters
from shoal._progress import shows_progress
from shoal.errors import ParameterError
from shoal.partitioners._base import Partition, Partitioner
from shoal.partitioners._refiner import Refiner
from shoal.partitioners.auto import Auto
from shoal.partitioners.blocked import Blocked
from shoal.partitioners.centroid_mdav import CentroidMDAV
from shoal.partitioners.cvmdav import CVMDAV
from shoal.partitioners.dba1 import DBA1
from shoal.partitioners.dba2 import DBA2
from shoal.partitioners.lloyd import Lloyd
from shoal.partitioners.md import MD
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.mdav1 import MDAV1
from shoal.partitioners.mdav2 import MDAV2
from shoal.partitioners.mdav_classic import MDAVClassic
from shoal.partitioners.mhm import MHM
from shoal.partitioners.mst import MST
from shoal.partitioners.mu_approx import MuApprox
from shoal.partitioners.mward import MWard
from shoal.partitioners.optimal import Optimal
from shoal.partitioners.refiners import Prove, Refine, Search
from shoal.partitioners.sorted import Sorted
from shoal.partitioners.tfrp import TFRP
from shoal.partitioners.threshold import Threshold
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
    "mdav-classic": MDAVClassic,
    "mhm": MHM,
    "mst": MST,
    "mu-approx": MuApprox,
    "mward": MWard,
    "optimal": Optimal,
    "sorted": Sorted,
    "tfrp": TFRP,
    "threshold": Threshold,
    "two-mu-approx": TwoMuApprox,
    "univariate": Univariate,
    "vmdav": VMDAV,
}


# Refiners by the name of the effort that selects them; the effort "quick" is the method alone.
EFFORTS: dict[str, type[Refiner]] = {"refine": Refine, "search": Search, "prove": Prove}
METHODS |= {"blocked": Blocked, **EFFORTS}
DEFAULT_METHOD = "mdav"  # the method of refiners and blocks if none is named

# Parameters of Blocked and of refiners that are not their own options: k belongs to the method.
SHARED_PARAMETERS = ("k", "method")
# Options that every method accepts.
COMMON_OPTIONS: dict[str, Any] = {
    "random_state": parameters.RandomState,
    "n_jobs": parameters.NJobs,
}


def partitioner(method: str | Partitioner, options: Mapping[str, Any]) -> Partitioner:
    """Return the partitioner that ``method`` names, made with ``options``.

    An ``effort`` among the options improves the groups of the method, and a ``block_size``
    splits the table first; the options of all three are given together. A partitioner object
    has its own options, and further ones are refused. Every method accepts ``random_state``
    and ``n_jobs``. A method that is not randomised ignores the former; `Search` and `Prove`, and
    methods that do not run in parallel, ignore the latter.
    """
    unset = [name for name in ("effort", "budget", *COMMON_OPTIONS) if options.get(name) is None]
    options = {name: value for name, value in options.items() if name not in unset}
    if not isinstance(method, str | Partitioner):
        raise ParameterError(
            "A method is a name or a Partitioner. Got an object of type"
            f" {type(method).__name__} instead.",
            code="unknown-method",
            given=type(method).__name__,
        )
    if "block_size" in options or method == "blocked":
        outer_options = _pop_options(Blocked, options)
        inner = partitioner(DEFAULT_METHOD if method == "blocked" else method, options)
        return _wrap(Blocked, inner, outer_options)
    if isinstance(method, str) and method in EFFORTS and "effort" not in options:
        method, options["effort"] = DEFAULT_METHOD, method
    effort = options.pop("effort", None)
    _check_effort(effort)
    if effort in EFFORTS:
        return _refiner(effort, DEFAULT_METHOD if method == "auto" else method, options)
    if "budget" in options:
        raise ParameterError(
            'A budget needs `effort="search"` or `effort="prove"`. Name one.',
            code="budget-without-effort",
        )
    return _make_method(
        DEFAULT_METHOD if effort == "quick" and method == "auto" else method, options
    )


def _check_effort(effort: Any) -> None:
    """Refuse an effort that does not exist; None stands for no effort."""
    if effort is not None and not isinstance(effort, str):
        raise ParameterError(
            f"An effort is a name: quick, {', '.join(EFFORTS)}. Got"
            f" {parameters.format_argument(effort)} instead.",
            code="unknown-effort",
            given=type(effort).__name__,
        )
    if effort not in (None, "quick", *EFFORTS):
        raise ParameterError(
            f"There is no effort {effort!r}.{parameters.hint(str(effort), EFFORTS)} Choose one of:"
            f" quick, {', '.join(EFFORTS)}.",
            code="unknown-effort",
            given=effort,
        )


def _refiner(effort: str, method: str | Partitioner, options: dict[str, Any]) -> Partitioner:
    """Return the refiner of an effort over a method, made with the options of both."""
    cls = EFFORTS[effort]
    outer_options = _pop_options(cls, options)
    if "budget" in options:
        raise ParameterError(
            f"{cls.__name__} takes no budget: it ends when no small change helps. Leave the budget"
            ' out, or use `effort="search"`.',
            code="budget-not-taken",
            effort=effort,
        )
    return _wrap(cls, _make_method(method, options), outer_options)


def _pop_options(cls: type[Partitioner], options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of ``cls`` from ``options``, except those that its method has too."""
    declared = parameters.signature_parameters(cls)
    names = [name for name in options if name in declared and name not in SHARED_PARAMETERS]
    return {name: options.pop(name) for name in names}


def _wrap(cls: type[Partitioner], inner: Partitioner, options: dict[str, Any]) -> Partitioner:
    """Return a partitioner of class ``cls`` that starts from ``inner``."""
    if isinstance(inner, Refiner) and issubclass(cls, Refiner):
        raise ParameterError(
            f"{type(inner).__name__} already improves a method. Name the method to start from.",
            code="effort-twice",
        )
    is_default = type(inner) is METHODS[DEFAULT_METHOD]
    return cls(k=inner.k, method=None if is_default else inner, **options)


def _make_method(method: str | Partitioner, options: dict[str, Any]) -> Partitioner:
    """Return a method by name, made with ``options``; or a partitioner, which has its own."""
    _check_common_options(options)
    if isinstance(method, Partitioner):
        k = options.pop("k", method.k)
        method = _with_common_options(method, options)
        if not (k is method.k or (isinstance(k, Integral) and k == method.k)) or options:
            raise ParameterError(
                f"{type(method).__name__} has its own options. Set them there, or give the method"
                " by name.",
                code="options-of-a-partitioner",
            )
        return method
    if method not in METHODS:
        raise ParameterError(
            f"There is no method {method!r}.{parameters.hint(method, METHODS)}"
            f" Choose one of: {', '.join(METHODS)}.",
            code="unknown-method",
            given=method,
        )
    declared = parameters.signature_parameters(METHODS[method])
    options = {
        name: value
        for name, value in options.items()
        if name in declared or name not in COMMON_OPTIONS
    }
    result: Partitioner = parameters.build(METHODS[method], options, f"the method {method!r}")
    return result


def _check_common_options(options: Mapping[str, Any]) -> None:
    """Refuse a ``random_state`` or ``n_jobs`` that no method accepts."""
    for name, annotation in COMMON_OPTIONS.items():
        parameter = parameters.Parameter(name, annotation, None, "")
        if not parameter.accepts(options.get(name)):
            raise ParameterError(
                f"`{name}` must be {parameter.expected}. Got"
                f" {parameters.format_argument(options[name])} instead.",
                code="parameter-not-accepted",
                parameter=name,
            )


def _with_common_options(method: Partitioner, options: dict[str, Any]) -> Partitioner:
    """Move ``random_state`` and ``n_jobs`` from ``options`` to a copy of a partitioner.

    An option that the partitioner has itself set to another value stays in ``options``, so that it
    is refused.
    """
    declared = parameters.signature_parameters(type(method))
    changes: dict[str, Any] = {}
    for name in [name for name in COMMON_OPTIONS if name in options]:
        if name not in declared or getattr(method, name) is options[name]:
            del options[name]
        elif getattr(method, name) is None:
            changes[name] = options.pop(name)
    copy: Partitioner = clone(method)
    return copy.set_params(**changes) if changes else method


def to_entry(instance: Partitioner) -> dict[str, Any]:
    """Return the method and the options from which `partitioner` makes ``instance``.

    Parameters that have their default value are left out.
    """
    options = parameters.non_default_parameters(instance)
    if not isinstance(instance, Refiner | Blocked):
        return {"method": method_name(instance), **options}
    inner = to_entry(instance.method or METHODS[DEFAULT_METHOD](k=instance.k))
    outer_options = {
        name: value for name, value in options.items() if name not in SHARED_PARAMETERS
    }
    if isinstance(instance, Blocked):
        return {**inner, "block_size": instance.block_size, **outer_options}
    return {**inner, "effort": method_name(instance), **outer_options}


def method_name(instance: Partitioner) -> str:
    """Return the registry name of a partitioner, or its class name if it is not registered."""
    names = {cls: name for name, cls in METHODS.items()}
    return names.get(type(instance), type(instance).__name__)


def method_label(fitted: Any) -> str:
    """Return what a fitted partitioner did, in names of the registry: ``"mdav + refine"``."""
    chosen = getattr(fitted, "chosen_", fitted)
    if isinstance(chosen, Blocked):
        return f"{method_label(chosen.method_)} in {chosen.n_blocks_} blocks"
    if isinstance(chosen, Refiner):
        return f"{method_label(chosen.method_)} + {method_name(chosen)}"
    return method_name(chosen)


def describe(cls: type[Partitioner]) -> dict[str, Any]:
    """Return the facts about a method that help to choose it."""
    return {
        "groups": cls.facts.groups,
        "draws": "seeded" if "random_state" in parameters.signature_parameters(cls) else "no",
        "cost": cls.facts.cost,
        "paper": cls.facts.paper,
        "guarantee": cls.facts.guarantee,
        "summary": _first_line(cls),
        "parameters": {
            name: {
                "expects": parameter.expected,
                "default": None if parameter.required else parameter.default,
            }
            for name, parameter in parameters.signature_parameters(cls).items()
        },
    }


def _first_line(cls: type[Partitioner]) -> str:
    """Return the first line of a docstring without markup and keys of papers."""
    line = (getdoc(cls) or "").split("\n")[0]
    line = re.sub(r":\w+:`(\w+)`", r"\1", line)
    return re.sub(r",?( of| as in)?,? \[\w+\]_", "", line)


@shows_progress
def partition(
    X: ArrayLike,
    k: int,
    method: str | Partitioner = "auto",
    *,
    effort: str | None = None,
    budget: float | None = None,
    random_state: parameters.RandomState = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Partition:
    """Group the rows of ``X`` into groups of at least ``k``.

    Parameters
    ----------
    X : array-like of shape (n_records, n_columns)
        Records in comparable units: distances are taken as they are.
    k : int
        Minimum number of records in a group.
    method : str or Partitioner
        A name in `METHODS`, or a partitioner. ``"auto"`` is the method that Shoal
        recommends for the table.
    effort : {"quick", "refine", "search", "prove"}, optional
        How to improve the groups of the method: ``"quick"`` leaves them as they are,
        ``"refine"`` changes them until no small change helps, ``"search"`` continues by
        simulated annealing, and ``"prove"`` also proves a lower bound of the SSE.
    budget : float, optional
        CPU seconds for ``"search"`` (by default 50 rounds per record instead) or
        ``"prove"`` (by default 60).
    random_state : int, Generator, RandomState or None
        Seed of a randomised method; others are not affected by it.
    n_jobs : int, optional
        Number of threads for a method that works on blocks; all cores if None or -1.
        Other methods and efforts ignore it. The groups do not depend on it.
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
    common = {"effort": effort, "budget": budget, "random_state": random_state, "n_jobs": n_jobs}
    try:
        chosen = partitioner(method, {"k": k, **common, **options})
    except ParameterError as error:
        raise parameters.with_hint_of(error, partition) from None
    return chosen.fit(X).partition_
