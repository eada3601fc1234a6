"""Data for the figures of a report: counts and correlations, never single records."""

from shoal.plan.profile.release_profile import MAX_COLUMNS, MIN_COUNT, profile, with_value_labels

__all__ = ["MAX_COLUMNS", "MIN_COUNT", "profile", "with_value_labels"]
