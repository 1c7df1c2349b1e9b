"""Quantised outputs: exact for exact values, a neighbour within the margin, never garbage."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kk3ref.formats import decode_fp8, encode_e2m1, encode_fp8, pack_e2m1, quantize_mxfp4
from verify.bounds import Bounded, CodePool, CodeRange
from verify.checks.codes import Codes
from verify.checks.elements import Where
from verify.data import Verdict

F64 = torch.float64
WHERE = Where("quant", "codes", 6)
FN, FNUZ = "fp8_e4m3fn", "fp8_e4m3fnuz"


def carried(values: Tensor, error: float | Tensor = 0.0) -> Bounded:
    errors = torch.as_tensor(error, dtype=F64).expand(values.shape)
    return Bounded(values.double(), {"accumulation": errors})


def judged(values: Bounded, part: str, codes: Tensor, scales: Tensor | None = None) -> Codes:
    collector = Codes()
    collector.add(WHERE, CodeRange(values, part), codes, scales)
    return collector


def verdict(collector: Codes) -> Verdict:
    verdicts = {check.verdict for check in collector.checks()}
    return next(v for v in (Verdict.FAIL, Verdict.NOT_CHECKED, Verdict.PASS) if v in verdicts)


def flips(collector: Codes) -> float:
    return sum(check.value or 0 for check in collector.checks() if check.name == "flips")


def block(*values: float, peak: float = 6.0) -> Tensor:
    """One group of 32 whose largest element fixes the scale (1 for a peak of 6)."""
    x = torch.zeros(1, 32)
    x[0, : len(values)] = torch.tensor(values)
    x[0, -1] = peak
    return x


def both(values: Bounded, codes: Tensor, scales: Tensor) -> tuple[Verdict, Verdict]:
    return (
        verdict(judged(values, "codes", codes, scales)),
        verdict(judged(values, "scales", scales)),
    )


# -- MXFP4 elements ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_exact_values_have_one_encoding(seed: int) -> None:
    x = torch.randn(3, 5, 96, generator=torch.Generator().manual_seed(seed)).bfloat16()
    packed = quantize_mxfp4(x)
    assert both(carried(x), packed.codes, packed.scales) == (Verdict.PASS, Verdict.PASS)
    wrong = packed.codes.clone()
    wrong[2, 4, 47] ^= 0x10
    collector = judged(carried(x), "codes", wrong, packed.scales)
    assert collector.wrong == 1
    assert "rank 6, index [2, 4, 95]: code " in collector.messages[0]


ONE = torch.tensor([[127]], dtype=torch.uint8)


def element(value: float, error: float, code: int) -> Codes:
    codes = encode_e2m1(block(value))
    codes[0, 0] = code
    return judged(
        carried(block(value), error * (block(value) == value)), "codes", pack_e2m1(codes), ONE
    )


@pytest.mark.parametrize(
    ("value", "error", "code", "expected", "flipped"),
    [
        pytest.param(1.2, 0.0, 2, Verdict.PASS, 0, id="own-code"),
        pytest.param(1.2, 0.04, 3, Verdict.FAIL, 0, id="neighbour-outside-the-margin"),
        pytest.param(1.2, 0.06, 3, Verdict.PASS, 1, id="neighbour-inside-the-margin"),
        pytest.param(1.2, 0.06, 1, Verdict.FAIL, 0, id="neighbour-on-the-other-side"),
        pytest.param(1.2, 0.06, 4, Verdict.FAIL, 0, id="two-steps"),
        pytest.param(1.2, 3.0, 4, Verdict.FAIL, 0, id="two-steps-inside-the-margin"),
        pytest.param(1.25, 0.0, 2, Verdict.PASS, 0, id="midpoint-to-even"),
        pytest.param(1.25, 0.0, 3, Verdict.FAIL, 0, id="midpoint-to-odd"),
        pytest.param(1.25, 1e-9, 3, Verdict.PASS, 1, id="midpoint-with-an-error"),
        pytest.param(0.1, 0.0, 8, Verdict.PASS, 0, id="minus-zero"),
        pytest.param(-0.1, 0.0, 0, Verdict.PASS, 0, id="plus-zero-for-minus-zero"),
        pytest.param(0.1, 0.0, 9, Verdict.FAIL, 0, id="minus-a-half-for-zero"),
        pytest.param(0.1, 0.4, 9, Verdict.PASS, 1, id="through-zero-within-the-margin"),
        pytest.param(1.2, 0.0, 10, Verdict.FAIL, 0, id="wrong-sign"),
    ],
)
def test_elements(value: float, error: float, code: int, expected: Verdict, flipped: int) -> None:
    collector = element(value, error, code)
    assert verdict(collector) is expected
    if expected is Verdict.PASS:
        assert flips(collector) == flipped


@pytest.mark.parametrize(
    ("peak", "error", "step", "legal"),
    [
        pytest.param(6.0, 0.0, 0, True, id="exact"),
        pytest.param(6.0, 0.0, 1, False, id="exact-one-up"),
        pytest.param(6.0, 1e-6, 1, True, id="the-peak-may-be-over-six"),
        pytest.param(6.0, 1e-6, -1, False, id="never-half"),
        pytest.param(6.1, 0.2, -1, True, id="the-peak-may-be-six"),
        pytest.param(6.1, 0.05, -1, False, id="the-peak-is-over-six"),
        pytest.param(6.0, 100.0, 2, False, id="two-up-inside-the-margin"),
        pytest.param(6.0, 0.0, 128, False, id="nan"),
    ],
)
def test_scales(peak: float, error: float, step: int, legal: bool) -> None:
    x = block(1.0, 2.0, peak=peak)
    scales = quantize_mxfp4(x).scales + step
    collector = judged(carried(x, error * (x == peak)), "scales", scales.to(torch.uint8))
    assert verdict(collector) is (Verdict.PASS if legal else Verdict.FAIL)
    if legal:
        assert flips(collector) == (step != 0)
    else:
        assert "index [0, 0]: code " in collector.messages[0]


def test_elements_are_judged_at_the_candidates_own_scale() -> None:
    x = block(1.2, 2.4, -3.7, peak=6.0)
    values = carried(x, 1e-6)
    codes = pack_e2m1(encode_e2m1(x / 2))
    assert both(values, codes, ONE + 1) == (Verdict.PASS, Verdict.PASS)
    assert both(values, codes, ONE)[0] is Verdict.FAIL, "codes of another scale"
    assert both(carried(x), codes, ONE + 1) == (Verdict.PASS, Verdict.FAIL), "exact: own scale only"


def test_scales_of_neighbouring_blocks_swapped_fail() -> None:
    x = torch.cat([block(1.0), 16 * block(1.0)], 1)
    packed = quantize_mxfp4(x)
    verdicts = both(carried(x), packed.codes, packed.scales.flip(-1))
    assert verdicts == (Verdict.FAIL, Verdict.FAIL)


def test_a_zero_block() -> None:
    x = torch.zeros(1, 32)
    packed = quantize_mxfp4(x)
    assert both(carried(x), packed.codes, packed.scales) == (Verdict.PASS, Verdict.PASS)
    assert both(carried(x), packed.codes, packed.scales + 1)[1] is Verdict.FAIL
    assert both(carried(x), packed.codes + 1, packed.scales)[0] is Verdict.FAIL


@pytest.mark.parametrize("scales", [None, torch.zeros(1, 2).byte(), torch.zeros(1, 1, 1).byte()])
def test_missing_or_misshapen_scales_fail(scales: Tensor | None) -> None:
    x = block(1.0)
    collector = judged(carried(x), "codes", quantize_mxfp4(x).codes, scales)
    assert verdict(collector) is Verdict.FAIL
    assert "stage quant, output codes, rank 6: its scales must be exposed" in collector.messages[0]


def test_an_infinite_bound_is_not_a_pass() -> None:
    x = block(1.0)
    packed = quantize_mxfp4(x)
    error = torch.zeros(1, 32)
    error[0, 3] = math.inf
    verdicts = both(carried(x, error), packed.codes, packed.scales)
    assert verdicts == (Verdict.NOT_CHECKED, Verdict.NOT_CHECKED)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31), relative=st.sampled_from([0.0, 2.0**-20, 2.0**-8, 0.05]))
def test_an_encoding_of_any_value_within_the_bound_passes(seed: int, relative: float) -> None:
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 64, generator=g) * torch.exp2(3 * torch.randn(2, 64, generator=g))
    e = relative * x.abs().double()
    own = (x + 0.999 * e * (2 * torch.rand(2, 64, generator=g) - 1)).float()
    packed = quantize_mxfp4(torch.where((own - x).abs() <= e, own, x))
    assert both(carried(x, e), packed.codes, packed.scales) == (Verdict.PASS, Verdict.PASS)


# -- fp8 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [FN, FNUZ])
def test_fp8_of_exact_values_has_one_encoding(name: str) -> None:
    x = torch.randn(64, 8, generator=torch.Generator().manual_seed(1)) * 40
    codes = encode_fp8(x, name).view(torch.uint8)
    assert verdict(judged(carried(x), name, codes)) is Verdict.PASS
    for step in (1, 2, 0x80):
        wrong = codes.clone()
        wrong[63, 7] = (int(wrong[63, 7]) + step) % 256
        collector = judged(carried(x), name, wrong)
        assert collector.wrong == 1
        assert "index [63, 7]" in collector.messages[0]
        assert "rounding point" in collector.messages[0]


@pytest.mark.parametrize("name", [FN, FNUZ])
def test_every_fp8_byte_is_right_for_its_own_value_and_wrong_two_codes_away(name: str) -> None:
    codes = torch.arange(256).to(torch.uint8)
    values = decode_fp8(codes, name, F64)
    codes, values = codes[~values.isnan()], values[~values.isnan()]
    assert verdict(judged(carried(values), name, codes)) is Verdict.PASS
    away = torch.where(codes & 0x7F >= 2, codes - 2, codes + 2)
    collector = judged(carried(values, 1e6), name, away)
    assert collector.wrong == len(codes)


@pytest.mark.parametrize(("name", "byte"), [(FN, 0x7F), (FN, 0xFF), (FNUZ, 0x80)])
def test_an_fp8_nan_is_never_within_a_margin(name: str, byte: int) -> None:
    values = torch.tensor([0.0, 2.0**-10, 240.0, -240.0, 448.0, -448.0, 1e9, -1e9])
    codes = torch.full((8,), byte, dtype=torch.uint8)
    assert judged(carried(values, 1e6), name, codes).wrong == 8


def test_fp8_neighbours() -> None:
    # 1.0625 is the midpoint of 1 (0x38) and 1.125 (0x39).
    code = torch.tensor([0x39], dtype=torch.uint8)
    for error, expected in ((0.0, Verdict.FAIL), (1e-6, Verdict.PASS)):
        collector = judged(carried(torch.tensor([1.0625]), error), FN, code)
        assert verdict(collector) is expected
    assert flips(collector) == 1


def test_fp8_zeros_are_equal_where_the_format_has_two() -> None:
    zero, minus = carried(torch.tensor([0.0])), torch.tensor([0x80], dtype=torch.uint8)
    assert verdict(judged(zero, FN, minus)) is Verdict.PASS
    assert verdict(judged(zero, FNUZ, minus)) is Verdict.FAIL, "0x80 is NaN in FNUZ"


def test_the_other_fp8_format_fails() -> None:
    x = torch.randn(64, generator=torch.Generator().manual_seed(2))
    assert verdict(judged(carried(x), FN, encode_fp8(x, FNUZ).view(torch.uint8))) is Verdict.FAIL


# -- pools ---------------------------------------------------------------------------------------


def pool(shape: tuple[int, ...] = (3, 4, 8)) -> tuple[CodePool, Tensor]:
    """A pool of 12 rows of which 7 and 2 were written, and a right candidate's bytes."""
    g = torch.Generator().manual_seed(3)
    before = torch.randint(0, 120, (12, 8), generator=g, dtype=torch.uint8)
    values = torch.randn(2, 8, generator=g)
    index = torch.tensor([7, 2])
    after = before.index_copy(0, index, encode_fp8(values, FN).view(torch.uint8))
    return CodePool(before, index, CodeRange(carried(values), FN), shape), after.reshape(shape)


def judged_pool(after: Tensor) -> Codes:
    collector = Codes()
    collector.add(WHERE, pool()[0], after)
    return collector


def test_a_right_pool_passes() -> None:
    assert verdict(judged_pool(pool()[1])) is Verdict.PASS


@pytest.mark.parametrize("row", [0, 3, 11])
def test_a_changed_row_that_was_not_written_fails(row: int) -> None:
    after = pool()[1].clone()
    after.view(12, 8)[row, 5] ^= 1
    collector = judged_pool(after)
    assert verdict(collector) is Verdict.FAIL
    assert f"index [{row}]: a row the step does not write was changed" in collector.messages[0]


def test_a_wrong_byte_in_a_written_row_fails() -> None:
    after = pool()[1].clone()
    after.view(12, 8)[2, 5] ^= 2
    assert verdict(judged_pool(after)) is Verdict.FAIL


def test_rows_written_in_each_others_place_fail() -> None:
    after = pool()[1].clone().view(12, 8)
    after[[2, 7]] = after[[7, 2]]
    assert verdict(judged_pool(after)) is Verdict.FAIL


def test_rows_left_unwritten_fail() -> None:
    assert verdict(judged_pool(pool()[0].before.reshape(3, 4, 8))) is Verdict.FAIL


def test_a_step_that_writes_nothing() -> None:
    expected, after = pool()
    nothing = CodePool(expected.before, torch.tensor([], dtype=torch.long), expected.codes, (12, 8))
    for rows, wanted in ((expected.before, Verdict.PASS), (after.view(12, 8), Verdict.FAIL)):
        collector = Codes()
        collector.add(WHERE, nothing, rows)
        assert verdict(collector) is wanted
