"""The stages of a run on a large table, from its files to those of the release."""
