"""Disclosure risk of a table that is a sample of a population."""

from shoal.metrics.survey.result import FIGURES, GROUP_FIGURES, SurveyRisk
from shoal.metrics.survey.run import survey_risk

__all__ = ["FIGURES", "GROUP_FIGURES", "SurveyRisk", "survey_risk"]
