"""Plans: roles and steps; running a plan on a table returns a release with a verdict.

``plan`` is the class `Plan`, and ``definition`` what it states. ``masking`` applies its steps to a
table and collects the ``evidence`` from which ``guarantees`` and ``findings`` make the ``verdict``.
``deliver`` does all of this for a file.
"""

from shoal.plan.plan import Plan
from shoal.plan.release import Release

__all__ = ["Plan", "Release"]
