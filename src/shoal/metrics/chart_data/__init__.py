"""Counts, similarities and a projection for the charts of a report (`shoal.plan.profile`)."""
