"""Measures of disclosure risk, one file for each family, and what an attacker infers."""
