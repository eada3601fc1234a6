"""A partitioner of a user's own, known by a name."""

import re
from inspect import isclass

from shoal import _params as parameters
from shoal.errors import ParameterError
from shoal.partitioners._base import Facts, Partitioner
from shoal.partitioners.registry import METHODS

BUILT_IN = frozenset(METHODS)


def register(name: str, cls: type[Partitioner]) -> None:
    """Let plans, reports and comparisons of this process call a partitioner by a name.

    An object of the class can be handed to `shoal.microaggregate` without this. A
    document can only name what is registered, so a report, a manifest and a saved plan
    need it, and so does whoever runs that plan.

    Parameters
    ----------
    name : str
        Small letters, digits and hyphens. Names that come with Shoal are refused; one of
        your own may be given again.
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
            f"{name!r} cannot name a method. Use small letters, digits and hyphens between them.",
            code="name-not-accepted",
            name=name,
        )
    if name in BUILT_IN:
        raise ParameterError(
            f"The method {name!r} comes with Shoal. Choose another name.",
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
            f"{cls.__name__} tells no facts. Set facts = Facts(groups=..., ...).",
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
