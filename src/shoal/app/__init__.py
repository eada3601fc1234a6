"""The web page of ``shoal app``; README.md describes its structure."""
