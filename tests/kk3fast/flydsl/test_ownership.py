"""Attention entry points return the projection's own tensor: no copy into another buffer."""

import pytest
import torch
from kk3fast_flydsl_cases import bits, case_of

from kk3fast.flydsl.kda_decode.arguments import decode_build, fused_kda_decode
from kk3fast.flydsl.kda_decode.mirrors import make_mirrors
from kk3fast.flydsl.run.layer import UnsupportedStep
from kk3ref.kda import NULL_SLOT
from kk3ref.precision import CONTRACT
from kk3ref.stages import run_layer


def assert_owned(returned, given):
    """What an entry point returned is the tensor it was given: storage, address, view, identity."""
    assert returned is given
    assert returned.untyped_storage().data_ptr() == given.untyped_storage().data_ptr()
    assert returned.data_ptr() == given.data_ptr()
    assert returned.stride() == given.stride()


def decode(case, core):
    context, given = case.contexts[0], case.inputs[0]
    weights = context.weights
    build = decode_build(context, 1, {})
    pools = {name: given[name].clone() for name in ("conv_state", "recurrent_state")}
    returned = fused_kda_decode(
        build,
        proj=given["proj"],
        g1=given["g1"],
        mirrors=make_mirrors(weights["conv_w"], weights["o_norm_w"]),
        a_log=weights["a_log"],
        dt_bias=weights["dt_bias"],
        state_index=given["state_index"],
        core=core,
        conv_dim_first=context.options.conv_dim_first,
        **pools,
    )
    return returned, pools


def test_the_decode_returns_the_tensor_it_was_given():
    case = case_of("kda-decode", rows=3, query_rows=1)
    buffer = torch.full((5, case.contexts[0].shapes.kda_channels), float("nan")).bfloat16()
    core = buffer[1:4]  # a view into the caller's buffer
    returned, pools = decode(case, core)
    assert_owned(returned, core)
    assert buffer[[0, 4]].isnan().all()
    want = run_layer(case.layer, CONTRACT, case.contexts, case.inputs)[0]
    torch.testing.assert_close(buffer[1:4], want["core"], rtol=2.0**-6, atol=1e-5)
    state = pools["recurrent_state"]
    assert torch.equal(bits(state[NULL_SLOT]), bits(case.inputs[0]["recurrent_state"][NULL_SLOT]))


def test_a_copy_is_seen():
    core = torch.zeros(2, 8)
    for copied in (core.clone(), core.view(8, 2), core[:]):
        with pytest.raises(AssertionError):
            assert_owned(copied, core)


def test_what_cannot_be_written_in_place_is_refused_with_every_reason():
    case = case_of("kda-decode", rows=3, query_rows=1)
    channels = case.contexts[0].shapes.kda_channels
    strided = torch.zeros(2, 2 * channels).bfloat16()[:, :channels]
    with pytest.raises(UnsupportedStep, match=r"core must be contiguous.*core must have 3 rows"):
        decode(case, strided)
