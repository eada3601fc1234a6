"""Plans: roles and steps; running a plan on a table returns a release with a verdict."""

from shoal.plan.plan import Plan
from shoal.plan.release import Release

__all__ = ["Plan", "Release"]
