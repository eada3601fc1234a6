"""Manifests of releases, their signatures, and the verification of releases against them."""

from shoal.audit.check import Check, Verification
from shoal.audit.signature import sign
from shoal.audit.verification import verify
from shoal.audit.write import write_manifest

__all__ = ["Check", "Verification", "sign", "verify", "write_manifest"]
