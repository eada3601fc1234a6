"""Register a user-defined partitioner under a name."""

import re
from inspect import isclass

from shoal import _params as parameters
from shoal.errors import ParameterError
from shoal.partitioners._base import Facts, Partitioner
from shoal.partitioners.registry import METHODS

BUILT_IN_METHODS = frozenset(METHODS)


def register(name: str, cls: type[Partitioner]) -> None:
    """Register a partitioner under a name, for plans, reports and comparisons of this process.

    An object of the class can be passed to `shoal.microaggregate` without registration. A
    document can only name registered methods, so reports, manifests and saved plans need the
    registration, and so does every process that runs such a plan.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and hyphens. Names of built-in methods are refused; your own
        may be registered again.
    cls : type
        A subclass of `Partitioner` with ``facts``, whose ``k`` has no default.

    Examples
    --------
    >>> from shoal.partitioners import METHODS, MDAV
    >>> class Mine(MDAV):
    ...     pass
    >>> register("mine", Mine)
    >>> METHODS.pop("mine")(k=3)
    Mine(k=3)
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", str(name)):
        raise ParameterError(
            f"{name!r} is not a valid name. Use lower-case letters, digits and single hyphens.",
            code="name-not-accepted",
            name=name,
        )
    if name in BUILT_IN_METHODS:
        raise ParameterError(
            f"The method {name!r} is built in. Choose another name.",
            code="method-exists",
            name=name,
        )
    if not isclass(cls) or not issubclass(cls, Partitioner):
        raise ParameterError(
            f"The method {name!r} must be a subclass of Partitioner.",
            code="not-a-partitioner",
            name=name,
        )
    if not isinstance(getattr(cls, "facts", None), Facts):
        raise ParameterError(
            f"{cls.__name__} has no facts. Set facts = Facts(groups=..., ...).",
            code="facts-missing",
            name=name,
        )
    k = parameters.signature_parameters(cls).get("k")
    if k is None or not k.required:
        raise ParameterError(
            f"{cls.__name__} must take k, without a default: it is the guarantee.",
            code="k-missing",
            name=name,
        )
    METHODS[name] = cls
