"""Manifests of releases, their signatures, and the verification of releases against them.

``manifest`` makes and reads manifests, ``manifest_files`` writes them with their ``signature`` and
``hashes``. ``verification`` has `verify`, which collects the checks of ``file_audit``, of the
``statements`` in the manifest, and of the ``agreed_plan``.
"""

from shoal.audit.check import Check, Verification
from shoal.audit.manifest_files import write_manifest
from shoal.audit.signature import sign
from shoal.audit.verification import verify

__all__ = ["Check", "Verification", "sign", "verify", "write_manifest"]
