"""What executes the tasks of a run: Dask, a pool of processes, or Spark."""
