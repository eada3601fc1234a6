"""A plan says what is done; running it on a table gives a release."""

from shoal.plan.plan import Plan
from shoal.plan.release import Release

__all__ = ["Plan", "Release"]
