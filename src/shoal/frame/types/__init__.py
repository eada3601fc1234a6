"""What users declare about columns: their types and hierarchies, also in files."""

from shoal.frame.types.declared_type import KINDS, Kind, Type, as_types

__all__ = ["KINDS", "Kind", "Type", "as_types"]
