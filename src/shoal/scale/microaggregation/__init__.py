"""Plans of one microaggregation: the tasks of workers, and what these measure on a block."""
