"""Inspection of a table before masking: kinds, suggested roles, identifying columns, a plan."""

from shoal.inspection.inspect_table import inspect, inspect_source
from shoal.inspection.inspection import Inspection

__all__ = ["Inspection", "inspect", "inspect_source"]
