"""The checks behind a verdict, one kind per file; docs/guarantees.md lists what they find."""

from collections.abc import Callable

from shoal.plan.evidence import Evidence
from shoal.plan.findings.attained_k import find_attained
from shoal.plan.findings.derived_columns import find_derived
from shoal.plan.findings.dominance import find_dominance
from shoal.plan.findings.edits import find_edits
from shoal.plan.findings.exact_values import find_exact
from shoal.plan.findings.homogeneity import find_homogeneous
from shoal.plan.findings.imputed_values import find_imputed
from shoal.plan.findings.insiders import find_insiders
from shoal.plan.findings.limits import find_limits
from shoal.plan.findings.loss import find_loss
from shoal.plan.findings.order import find_order
from shoal.plan.findings.privacy_constraints import find_privacy_constraints
from shoal.plan.findings.unchanged_columns import (
    find_confidential_keys,
    find_unchanged,
    find_without_role,
)
from shoal.plan.findings.units import find_units
from shoal.plan.findings.weights import find_weights
from shoal.plan.verdict import Finding

# In the order in which findings of the same severity are shown.
CHECKS: tuple[Callable[[Evidence], list[Finding]], ...] = (
    find_attained,
    find_units,
    find_privacy_constraints,
    find_without_role,
    find_unchanged,
    find_confidential_keys,
    find_weights,
    find_derived,
    find_exact,
    find_dominance,
    find_homogeneous,
    find_insiders,
    find_order,
    find_imputed,
    find_loss,
    find_edits,
    find_limits,
)
