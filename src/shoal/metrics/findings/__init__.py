"""Statistics behind the findings of a verdict (`shoal.plan.findings`); none is a measure."""
