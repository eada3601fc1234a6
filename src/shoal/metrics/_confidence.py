"""Confidence intervals."""

NORMAL_QUANTILE = 1.959963984540054  # for intervals that cover 95 %
