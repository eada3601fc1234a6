"""Plans of one microaggregation: the tasks of workers, and what they measure on a block."""
