"""The specialized decode's settings of a deployment."""

from __future__ import annotations

from dataclasses import dataclass

from kk3fast.runtime.deployment import Deployment
from kk3fast.runtime.reason import Reason
from kk3fast.runtime.refusals import MAX_ROWS, m1_needs, unsupported

BACKENDS = ("auto", "latency_specialized", "kk3")


class Unsupported(ValueError):
    """The deployment cannot run the specialized decode; lists every reason."""

    def __init__(self, reasons: list[Reason]):
        self.reasons = tuple(reasons)
        lines = "".join(f"\n  - {reason}" for reason in reasons)
        super().__init__(f"the specialized decode does not serve this deployment:{lines}")


@dataclass(frozen=True)
class DecodeConfig:
    """What the kernels are built for.

    Attributes:
        q: rows a request verifies, speculative tokens + 1.
        max_num_seqs: requests a step has at most.
        m1: whether MLA layers run M1 (else the stock attention feeds K2).
        interleave: ranks over which a context's rows are interleaved (decode context parallelism).
    """

    q: int
    max_num_seqs: int
    m1: bool = True
    interleave: int = 1

    @property
    def widths(self) -> tuple[int, ...]:
        """Rows of the served steps: whole requests only, up to 8 rows."""
        last = min(MAX_ROWS, self.max_num_seqs * self.q)
        return tuple(range(self.q, last + 1, self.q))


def check_backend(value: object) -> str:
    """The value of ``decode_backend``.

    Raises:
        ValueError: it is none; names those there are.
    """
    if value not in BACKENDS:
        names = ", ".join(map(repr, BACKENDS))
        raise ValueError(f"decode_backend must be one of {names}, got {value!r}")
    return str(value)


def decode_config(deployment: Deployment) -> DecodeConfig:
    """The settings of a deployment that is served.

    Raises:
        Unsupported: lists every reason.
    """
    reasons = unsupported(deployment)
    if reasons:
        raise Unsupported(reasons)
    m1 = deployment.dcp == 1 and not m1_needs(deployment)
    return DecodeConfig(deployment.q, deployment.max_num_seqs, m1, deployment.dcp)
