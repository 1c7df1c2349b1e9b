"""Guarded storage and comparison bit by bit."""

import math
import resource

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from verify.memory import FAR, GUARD_BYTES, Guarded, far_apart, guarded, poison, same_bits

DTYPES = (torch.bfloat16, torch.float32, torch.int32, torch.uint8)
LAYOUTS = {
    "dense": ((3, 4, 8), None),
    "slots apart": ((3, 4, 8), (48, 8, 1)),
    "rows apart": ((3, 4, 8), (64, 16, 1)),
    "transposed": ((3, 8, 4), (48, 1, 8)),
    "every other element": ((5,), (2,)),
    "one element": ((1,), None),
}


def make(layout: str, dtype: torch.dtype) -> Guarded:
    shape, stride = LAYOUTS[layout]
    return guarded(shape, dtype, stride)


def element_bytes(g: Guarded) -> set[int]:
    size = g.tensor.dtype.itemsize
    offsets = torch.zeros(g.tensor.shape, dtype=torch.long)
    for axis, (n, stride) in enumerate(zip(g.tensor.shape, g.tensor.stride(), strict=True)):
        view = [1] * g.tensor.ndim
        view[axis] = n
        offsets = offsets + (torch.arange(n) * stride).reshape(view)
    starts = GUARD_BYTES + offsets.flatten() * size
    return {int(start) + i for start in starts for i in range(size)}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_writing_every_element_keeps_the_guards(layout: str, dtype: torch.dtype) -> None:
    g = make(layout, dtype)
    shape, stride = LAYOUTS[layout]
    assert g.tensor.shape == shape
    assert stride is None or g.tensor.stride() == stride
    assert g.tensor.is_contiguous() or stride is not None
    g.tensor.copy_(torch.arange(g.tensor.numel()).reshape(shape))
    assert g.intact()
    assert torch.equal(g.tensor.flatten().long(), torch.arange(g.tensor.numel()))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_writing_any_other_byte_breaks_them(layout: str, dtype: torch.dtype) -> None:
    g = make(layout, dtype)
    inside = element_bytes(g)
    end = g.storage.numel() - GUARD_BYTES
    near = [*range(GUARD_BYTES - 16, end + 16), 0, g.storage.numel() - 1]
    for at in near:
        kept = int(g.storage[at])
        g.storage[at] = kept ^ 0x01
        assert g.intact() == (at in inside), at
        g.storage[at] = kept


def test_there_is_a_band_on_both_sides() -> None:
    g = guarded((2, 2), torch.float32)
    assert g.storage.numel() == 2 * GUARD_BYTES + 16
    assert g.tensor.data_ptr() == g.storage.data_ptr() + GUARD_BYTES
    assert GUARD_BYTES >= 4096


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
def test_floats_are_poisoned_with_nan(dtype: torch.dtype) -> None:
    assert guarded((3, 4), dtype).tensor.isnan().all()


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8], ids=str)
def test_integers_are_poisoned_with_their_largest(dtype: torch.dtype) -> None:
    x = torch.zeros(3, dtype=dtype)
    poison(x)
    assert (x == torch.iinfo(dtype).max).all()


# -- same_bits -----------------------------------------------------------------------------------


@given(bits=st.lists(st.integers(-(2**31), 2**31 - 1), min_size=2, max_size=2))
def test_same_bits_is_equality_of_fp32_words_but_for_nan(bits: list[int]) -> None:
    a, b = (torch.tensor([x], dtype=torch.int32).view(torch.float32) for x in bits)
    both_nan = bool(a.isnan()) and bool(b.isnan())
    assert bool(same_bits(a, b)) == (bits[0] == bits[1] or both_nan)
    assert bool(same_bits(a, a.clone()))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1.0, 1.0, True),
        (0.0, -0.0, False),
        (math.nan, math.nan, True),
        (math.nan, -math.nan, True),
        (math.nan, 1.0, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
    ],
)
def test_same_bits(dtype: torch.dtype, a: float, b: float, same: bool) -> None:
    assert bool(same_bits(torch.tensor([a], dtype=dtype), torch.tensor([b], dtype=dtype))) is same


def test_same_bits_of_strided_tensors_and_integers() -> None:
    a = torch.arange(24.0).reshape(4, 6)
    assert same_bits(a.t(), a.t().contiguous()).all()
    assert same_bits(a[:, ::2], a[:, ::2].clone()).all()
    differ = same_bits(torch.tensor([1, 2, 3]), torch.tensor([1, 0, 3]))
    assert differ.tolist() == [True, False, True]


# -- slots far apart ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.uint8, torch.bfloat16], ids=str)
def test_far_slots_lie_past_32_bits_and_cost_little(dtype: torch.dtype) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    g = far_apart((40, 16, 80), dtype)
    assert g.tensor.shape == (40, 16, 80)
    assert g.tensor.stride(0) * 39 >= FAR
    filled = torch.arange(g.tensor.numel()).reshape(g.tensor.shape) % 100
    g.tensor.copy_(filled)
    assert torch.equal(g.tensor.long(), filled)
    assert g.intact()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # KiB


@pytest.mark.parametrize("side", [-1, 1280], ids=["before", "after"])
def test_a_byte_beside_a_far_slot_breaks_its_guard(side: int) -> None:
    g = far_apart((3, 16, 80), torch.uint8)
    neighbour = g.tensor.as_strided((1,), (1,), g.tensor[1].storage_offset() + side)
    neighbour.fill_(0)
    assert not g.intact()
