"""Entry points as models have them: dispatch through an operator, a concrete forward, MLA."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from verify.checks.ownership import compare, observe, returns_projection
from verify.data import Verdict


class RowParallel(nn.Linear):
    """A projection that returns its bias beside its output, as vLLM's do."""

    def forward(self, x: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        return super().forward(x), None


class Attention(nn.Module):
    """An attention: a core written into a buffer, then the output projection.

    Args:
        how: what is done with the projection's tensor.
    """

    def __init__(self, how: str, projection: nn.Module):
        super().__init__()
        self.how, self.o_proj = how, projection

    def core(self, x: Tensor, out: Tensor) -> None:
        """As an operator that mutates its buffer."""
        out.copy_(x * 2)

    def forward(self, x: Tensor, buffer: Tensor | None = None) -> Tensor:
        core = torch.empty_like(x)
        self.core(x, core)
        found = self.o_proj(core)
        y: Tensor = found[0] if isinstance(found, tuple) else found
        if self.how == "copied" and buffer is not None:
            buffer[: y.shape[0]] = y
            return buffer[: y.shape[0]]
        return {"direct": y, "cloned": y.clone(), "viewed": y[:, :4]}[self.how]


PROJECTIONS = [lambda: nn.Linear(8, 8), lambda: RowParallel(8, 8)]


@pytest.mark.parametrize("make", PROJECTIONS, ids=["plain", "with bias beside"])
def test_a_direct_return_is_the_projections_own(make) -> None:
    attention = Attention("direct", make())
    check = returns_projection(lambda: attention(torch.ones(3, 8)), attention.o_proj)
    assert check.verdict is Verdict.PASS


@pytest.mark.parametrize("how", ["copied", "cloned", "viewed"])
@pytest.mark.parametrize("make", PROJECTIONS, ids=["plain", "with bias beside"])
def test_every_copy_and_other_view_is_seen(how: str, make) -> None:
    attention, buffer = Attention(how, make()), torch.zeros(5, 8)
    check = returns_projection(lambda: attention(torch.ones(3, 8), buffer), attention.o_proj)
    assert check.verdict is Verdict.FAIL
    assert "must be the projection's" in check.message


def test_a_projection_that_did_not_run_is_a_failure() -> None:
    check = returns_projection(lambda: torch.ones(2), nn.Linear(2, 2))
    assert check.verdict is Verdict.FAIL
    assert "ran 0 times" in check.message


def test_the_hook_is_gone_afterwards() -> None:
    attention = Attention("direct", nn.Linear(8, 8))
    returns_projection(lambda: attention(torch.ones(3, 8)), attention.o_proj)
    assert not attention.o_proj._forward_hooks


@pytest.mark.parametrize(("how", "copied"), [("direct", 0), ("viewed", 0), ("cloned", 96)])
def test_an_observed_call_gives_its_result_and_the_bytes_it_copied(how: str, copied: int) -> None:
    attention = Attention(how, nn.Linear(8, 8))
    seen = observe(lambda: attention(torch.ones(3, 8)), attention.o_proj)
    assert seen.copied_bytes == copied
    assert torch.equal(seen.returned, attention(torch.ones(3, 8)))


def test_a_projection_that_gave_two_tensors_is_a_failure() -> None:
    x = torch.ones(2)
    assert compare(x, [x, x]).check.verdict is Verdict.FAIL
    assert compare((x, x + 1), [x]).check.verdict is Verdict.PASS
