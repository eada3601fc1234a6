"""Counts, similarities and a projection for the figures of a report (`shoal.plan.profile`)."""
