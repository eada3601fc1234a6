"""The page: ``shoal app``. README.md says how it is built and how it is secured."""
