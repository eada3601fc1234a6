"""The same analyses of the original and the masked table; one file for each kind."""

from shoal.metrics.analyses.result import FIGURES, AnalysisResult, Utility
from shoal.metrics.analyses.run import ANALYSES, utility

__all__ = ["ANALYSES", "FIGURES", "AnalysisResult", "Utility", "utility"]
