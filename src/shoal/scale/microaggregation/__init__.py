"""Plans of one microaggregation: the stages of a run, and the tasks of its workers."""
