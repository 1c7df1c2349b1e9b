"""Why a certificate opens nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """One reason.

    Attributes:
        code: stable name, ``subject.problem``.
        sentence: what was found and what was expected.
    """

    code: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence}"


class CertificateError(ValueError):
    """A certificate, policy or key cannot be used; lists every reason."""

    def __init__(self, reasons: Iterable[Reason]):
        self.reasons = tuple(reasons)
        super().__init__("\n".join(map(str, self.reasons)))

    @classmethod
    def of(cls, code: str, sentence: str) -> CertificateError:
        """One reason alone."""
        return cls([Reason(code, sentence)])
