"""Certificates: signed statements of what was verified, and whether they open a gate.

A certificate is a DSSE envelope around an in-toto Statement; docs/certificates.md has the format.
Nothing here imports torch: every worker of a server reads it.
"""

from kk3fast.certificate.judge import Deployed, Verdict, judge
from kk3fast.certificate.policy import PRODUCTION, SIMULATION, Policy, load_policy
from kk3fast.certificate.reason import CertificateError, Reason
from kk3fast.certificate.statement import Evidence, Statement

__all__ = [
    "PRODUCTION",
    "SIMULATION",
    "CertificateError",
    "Deployed",
    "Evidence",
    "Policy",
    "Reason",
    "Statement",
    "Verdict",
    "judge",
    "load_policy",
]
