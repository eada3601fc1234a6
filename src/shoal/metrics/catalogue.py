"""The catalogue of measures: their names, inputs, direction, unit and cost."""

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any

from shoal.metrics._measure import MeasureInfo, info_of, signature_of
from shoal.metrics.risk.anonymity import class_sizes, reidentification, smallest_class
from shoal.metrics.risk.closeness import t_closeness
from shoal.metrics.risk.diversity import (
    average_diversity,
    homogeneous_classes,
    l_diversity,
    p_sensitivity,
)
from shoal.metrics.risk.information import delta_disclosure, mutual_information
from shoal.metrics.risk.interval import interval_disclosure
from shoal.metrics.risk.linkage import linkage, linkage_top2
from shoal.metrics.risk.unit_counts import fewest_units, largest_unit_share
from shoal.metrics.utility.categories import entropy_loss, levels_lost, values_unchanged
from shoal.metrics.utility.category_tables import (
    association_change,
    one_way_change,
    two_way_change,
)
from shoal.metrics.utility.certificate import certified_gap
from shoal.metrics.utility.correlation import (
    correlation_change,
    eigenvalue_change,
    explained_change,
    loadings_change,
)
from shoal.metrics.utility.dependence import distortion_x, distortion_y
from shoal.metrics.utility.loss import euclidean_loss, il1s, information_loss
from shoal.metrics.utility.moments import (
    covariance_change,
    mean_change,
    std_ratio,
    variance_change,
)
from shoal.metrics.utility.totals import weighted_total_change

# Assessments and manifests list measures in this order. Another order would change the bytes of
# manifests, so a new measure goes to the end.
MEASURES: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(smallest_class, class_sizes, reidentification),
        *(values_unchanged, levels_lost, entropy_loss),
        *(association_change, one_way_change, two_way_change),
        certified_gap,
        *(fewest_units, largest_unit_share),
        *(l_diversity, p_sensitivity, homogeneous_classes, average_diversity),
        t_closeness,
        *(correlation_change, loadings_change, explained_change, eigenvalue_change),
        *(information_loss, euclidean_loss, il1s),
        *(distortion_x, distortion_y),
        *(mutual_information, delta_disclosure),
        interval_disclosure,
        *(linkage, linkage_top2),
        *(std_ratio, mean_change, variance_change, covariance_change),
        weighted_total_change,
    )
}
MEASURE_INFO: dict[str, MeasureInfo] = {
    name: info_of(function) for name, function in MEASURES.items()
}

# What each input of a measure requires, as a phrase that follows "needs".
NEEDS = {
    "original": "a quasi-identifier that is numeric and complete in both tables",
    "masked": "a quasi-identifier that is numeric and complete in both tables",
    "released": "the released quasi-identifiers",
    "confidential": "a numeric confidential column without missing values",
    "confidential_codes": "a confidential column",
    "categories": "a confidential categorical column",
    "ordered": "a confidential column",
    "weights": "survey weights",
    "original_categories": "a masked categorical column",
    "masked_categories": "a masked categorical column",
    "other_categories": "a confidential categorical column that is not masked",
    "lower_bound": "a proven lower bound; pass one with the arrays",
    "units": "a column of units",
}


def inputs_of(name: str) -> list[str]:
    """Return all inputs of the measure ``name``, required and optional."""
    return list(signature_of(MEASURES[name]).parameters)


def needs(name: str) -> list[str]:
    """Return the required inputs of the measure ``name``."""
    parameters = signature_of(MEASURES[name]).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is Parameter.empty]


def accepts_axes(name: str) -> bool:
    """Return whether the measure ``name`` accepts columns of several axes, such as categories."""
    return "columns" in inputs_of(name)


def compute(name: str, inputs_by_name: Mapping[str, Any]) -> Any:
    """Compute one measure from ``inputs_by_name``, which has at least its required inputs."""
    required = needs(name)
    return MEASURES[name](
        **{
            input_name: inputs_by_name[input_name]
            for input_name in inputs_of(name)
            if input_name in required or input_name in inputs_by_name
        }
    )
