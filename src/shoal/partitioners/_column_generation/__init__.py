"""Column generation, the engine behind search and prove.

Groups are the columns of a linear programme that covers every record once. The master problem is
solved over the groups generated so far, pricing finds further groups of negative reduced cost, and
an integer programme finally selects whole groups.
"""
