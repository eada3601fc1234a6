"""Pricing of groups in column generation: candidates, search, dual values."""
