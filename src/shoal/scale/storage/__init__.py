"""Files of a run on a disk or in an object store, and scratch files."""
