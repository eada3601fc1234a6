"""Publish a release, its report and its manifest, completely or not at all."""
