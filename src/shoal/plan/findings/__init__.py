"""The checks behind a verdict, one kind per file; docs/guarantees.md lists what they find.

A function ``find_...`` takes the `Evidence` of a release and returns findings. Where a release on
a cluster is judged by the same rules, it computes figures and passes them to a function
``..._findings``, which `shoal.scale` calls with its own counts.

Three modules are not among the `CHECKS` of every release: ``run`` has the findings that masking
itself notes, ``formula_cells`` the findings on text files, and ``earlier_releases`` the findings
that ``verify`` adds.
"""

from collections.abc import Callable

from shoal.plan.evidence import Evidence
from shoal.plan.findings.attained_k import find_attained_k
from shoal.plan.findings.derived_columns import find_derived_columns
from shoal.plan.findings.dominance import find_dominated_groups
from shoal.plan.findings.edits import find_broken_edits
from shoal.plan.findings.exact_values import find_exact_values
from shoal.plan.findings.homogeneity import find_homogeneous_classes
from shoal.plan.findings.imputed_values import find_imputed_values
from shoal.plan.findings.insiders import find_insiders
from shoal.plan.findings.limits import find_broken_limits
from shoal.plan.findings.loss import find_high_loss
from shoal.plan.findings.order import find_revealing_order
from shoal.plan.findings.privacy_constraints import find_unmet_constraints
from shoal.plan.findings.unchanged_columns import (
    find_columns_without_role,
    find_confidential_keys,
    find_unique_records,
)
from shoal.plan.findings.units import find_uncounted_units
from shoal.plan.findings.weights import find_released_weights
from shoal.plan.verdict import Finding

# In the order in which findings of the same severity are shown.
CHECKS: tuple[Callable[[Evidence], list[Finding]], ...] = (
    find_attained_k,
    find_uncounted_units,
    find_unmet_constraints,
    find_columns_without_role,
    find_unique_records,
    find_confidential_keys,
    find_released_weights,
    find_derived_columns,
    find_exact_values,
    find_dominated_groups,
    find_homogeneous_classes,
    find_insiders,
    find_revealing_order,
    find_imputed_values,
    find_high_loss,
    find_broken_edits,
    find_broken_limits,
)
