"""Certificates from records: what was verified, for which deployment, signed."""

from verify.certify.deployment import Deployment, deployed_of, read_deployed
from verify.certify.evidence import evidence_of
from verify.certify.make import certify

__all__ = ["Deployment", "certify", "deployed_of", "evidence_of", "read_deployed"]
