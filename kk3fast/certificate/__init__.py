"""Certificates: signed statements of what was verified, and whether they open a gate.

A certificate is a DSSE envelope around an in-toto Statement; docs/certificates.md has the format.
Nothing here imports torch: every worker of a server reads it.
"""

from kk3fast.certificate.checks import EVALUATION, PRODUCTION, SIMULATION
from kk3fast.certificate.deployed import Deployed
from kk3fast.certificate.judge import Verdict, judge, read_certificate
from kk3fast.certificate.policy import Policy, load_policy
from kk3fast.certificate.reason import CertificateError, Reason
from kk3fast.certificate.record import Evidence
from kk3fast.certificate.statement import Statement

__all__ = [
    "EVALUATION",
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
    "read_certificate",
]
