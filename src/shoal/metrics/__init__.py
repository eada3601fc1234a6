"""Measures of information loss, utility and risk, computed from two tables."""

from shoal.metrics._base import (
    MEASURE_INFO,
    MEASURES,
    NEEDS,
    MeasureInfo,
    accepts_axes,
    compute,
    inputs_of,
    needs,
)
from shoal.metrics.anonymity import (
    class_sizes,
    classes,
    reidentification,
    smallest_class,
    units_per_class,
)
from shoal.metrics.categories import (
    association_change,
    entropy_loss,
    levels_lost,
    one_way_change,
    two_way_change,
    values_unchanged,
)
from shoal.metrics.certificate import certified_gap
from shoal.metrics.closeness import t_closeness
from shoal.metrics.correlation import (
    correlation_change,
    eigenvalue_change,
    explained_change,
    first_principal_component,
    loadings_change,
)
from shoal.metrics.dependence import distortion_x, distortion_y
from shoal.metrics.diversity import (
    average_diversity,
    homogeneous_classes,
    l_diversity,
    p_sensitivity,
)
from shoal.metrics.external import linkage_with
from shoal.metrics.information import delta_disclosure, mutual_information
from shoal.metrics.interval import interval_disclosure
from shoal.metrics.linkage import linkage, linkage_top2
from shoal.metrics.loss import euclidean_loss, il1s, information_loss
from shoal.metrics.moments import covariance_change, mean_change, std_ratio, variance_change
from shoal.metrics.neighbour_means import neighbour_intervals
from shoal.metrics.randomised_tables import FrequencyEstimate, estimate_frequencies
from shoal.metrics.score import sdc_score
from shoal.metrics.totals import weighted_total_change
from shoal.metrics.unit_counts import fewest_units, largest_unit_share
from shoal.metrics.wildcards import fewest_matches

__all__ = [
    "association_change",
    "entropy_loss",
    "levels_lost",
    "one_way_change",
    "two_way_change",
    "values_unchanged",
    "sdc_score",
    "delta_disclosure",
    "inputs_of",
    "mutual_information",
    "MEASURE_INFO",
    "MEASURES",
    "NEEDS",
    "MeasureInfo",
    "FrequencyEstimate",
    "average_diversity",
    "certified_gap",
    "class_sizes",
    "classes",
    "compute",
    "correlation_change",
    "covariance_change",
    "distortion_x",
    "distortion_y",
    "eigenvalue_change",
    "estimate_frequencies",
    "euclidean_loss",
    "explained_change",
    "fewest_matches",
    "fewest_units",
    "first_principal_component",
    "homogeneous_classes",
    "il1s",
    "information_loss",
    "interval_disclosure",
    "l_diversity",
    "largest_unit_share",
    "linkage",
    "linkage_top2",
    "linkage_with",
    "loadings_change",
    "mean_change",
    "needs",
    "neighbour_intervals",
    "p_sensitivity",
    "reidentification",
    "accepts_axes",
    "smallest_class",
    "std_ratio",
    "t_closeness",
    "units_per_class",
    "variance_change",
    "weighted_total_change",
]
