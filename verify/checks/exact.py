"""Outputs in which nothing rounds or the order is fixed: bit-equal to the contract."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from verify.bounds import Bounded
from verify.checks.elements import NO_POINT, Where, shares, unravel
from verify.checks.survey import Survey
from verify.data import Check
from verify.memory import same_bits


@dataclass
class Exact:
    """Collects one output over the ranks."""

    differing: int = 0
    messages: list[str] = field(default_factory=list)
    survey: Survey = field(default_factory=Survey)

    def add(self, where: Where, expected: Tensor, bounded: Bounded | Tensor, value: Tensor) -> None:
        """Compare one rank's tensor with the contract on that rank's own inputs."""
        expected = expected.to(value.dtype)
        differ = ~same_bits(value, expected)
        self.survey.differing(where.rank, differ)
        if not differ.any():
            return
        self.differing += int(differ.sum())
        index = unravel(int(differ.flatten().int().argmax()), differ.shape)
        at = tuple(index)
        point = next((p for p, share in shares(bounded, index).items() if share > 0), NO_POINT)
        self.messages.append(
            f"{where.at(index)}: candidate {float(value[at]):.9g} must equal "
            f"{float(expected[at]):.9g} bit for bit; rounding point {point}"
        )

    def checks(self) -> list[Check]:
        """The exactness criterion."""
        return [Check.none_of("exact", self.messages, self.differing)]
