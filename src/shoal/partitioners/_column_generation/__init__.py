"""Column generation, the engine behind search and prove.

Groups are the columns of a linear programme that covers every record once. Pricing finds the
groups that are missing, the master problem weighs those that are known, and an integer programme
chooses whole groups in the end.
"""
