"""Pricing of groups in column generation: candidates, searches and dual values."""
