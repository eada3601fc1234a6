"""Measures of information loss, utility and risk, computed from two tables."""

from shoal.metrics._measure import MeasureInfo
from shoal.metrics.catalogue import (
    MEASURE_INFO,
    MEASURES,
    NEEDS,
    accepts_axes,
    compute,
    inputs_of,
    needs,
)
from shoal.metrics.equivalence_classes import classes, units_per_class
from shoal.metrics.pram_frequencies import FrequencyEstimate, estimate_frequencies
from shoal.metrics.risk.anonymity import class_sizes, reidentification, smallest_class
from shoal.metrics.risk.closeness import t_closeness
from shoal.metrics.risk.diversity import (
    average_diversity,
    homogeneous_classes,
    l_diversity,
    p_sensitivity,
)
from shoal.metrics.risk.external_linkage import linkage_with
from shoal.metrics.risk.information import delta_disclosure, mutual_information
from shoal.metrics.risk.interval import interval_disclosure
from shoal.metrics.risk.linkage import linkage, linkage_top2
from shoal.metrics.risk.neighbour_means import neighbour_intervals
from shoal.metrics.risk.unit_counts import fewest_units, largest_unit_share
from shoal.metrics.risk.wildcards import fewest_matches
from shoal.metrics.score import sdc_score
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
    first_principal_component,
    loadings_change,
)
from shoal.metrics.utility.dependence import distortion_x, distortion_y
from shoal.metrics.utility.loss import euclidean_loss, il1s, information_loss
from shoal.metrics.utility.moments import covariance_change, mean_change, std_ratio, variance_change
from shoal.metrics.utility.totals import weighted_total_change

__all__ = [
    "MEASURES",
    "MEASURE_INFO",
    "NEEDS",
    "FrequencyEstimate",
    "MeasureInfo",
    "accepts_axes",
    "association_change",
    "average_diversity",
    "certified_gap",
    "class_sizes",
    "classes",
    "compute",
    "correlation_change",
    "covariance_change",
    "delta_disclosure",
    "distortion_x",
    "distortion_y",
    "eigenvalue_change",
    "entropy_loss",
    "estimate_frequencies",
    "euclidean_loss",
    "explained_change",
    "fewest_matches",
    "fewest_units",
    "first_principal_component",
    "homogeneous_classes",
    "il1s",
    "information_loss",
    "inputs_of",
    "interval_disclosure",
    "l_diversity",
    "largest_unit_share",
    "levels_lost",
    "linkage",
    "linkage_top2",
    "linkage_with",
    "loadings_change",
    "mean_change",
    "mutual_information",
    "needs",
    "neighbour_intervals",
    "one_way_change",
    "p_sensitivity",
    "reidentification",
    "sdc_score",
    "smallest_class",
    "std_ratio",
    "t_closeness",
    "two_way_change",
    "units_per_class",
    "values_unchanged",
    "variance_change",
    "weighted_total_change",
]
