"""The fused KDA decode on named tensors: its build, its arguments, and a call in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from kk3fast.flydsl.kda_decode.build import HEAD_DIMS, KdaDecodeBuild
from kk3fast.flydsl.kda_decode.mirrors import Mirrors
from kk3fast.flydsl.run.layer import UnsupportedStep
from kk3ref.stages import RankContext


def decode_build(context: RankContext, width: int, options: Mapping[str, Any]) -> KdaDecodeBuild:
    """The build for a rank's layer.

    Args:
        width: rows a request.
        options: further build parameters.

    Raises:
        UnsupportedStep: lists every reason.
    """
    layer, shapes, config = context.layer, context.shapes, context.config
    reasons = []
    if layer.attention != "kda":
        reasons.append(f"the layer must be KDA, layer {layer.index} is {layer.attention}")
    if width != 1:
        reasons.append(f"a request must have 1 row, got {width}")
    if config.short_conv_kernel_size != 4:
        reasons.append(f"conv width must be 4, got {config.short_conv_kernel_size}")
    if not config.use_full_rank_gate:
        reasons.append("the output gate must be full rank")
    if config.kda_head_dim not in HEAD_DIMS:
        reasons.append(f"head_dim must be one of {HEAD_DIMS}, got {config.kda_head_dim}")
    if reasons:
        raise UnsupportedStep("KDA decode: " + "; ".join(reasons))
    bound = config.gate_lower_bound
    return KdaDecodeBuild(
        heads=shapes.kda_heads,
        head_dim=config.kda_head_dim,
        eps=context.eps,
        softplus_gate=bound is None,
        lower_bound=-5.0 if bound is None else bound,
        **options,
    )


def decode_values(
    *,
    proj: Tensor,
    g1: Tensor,
    mirrors: Mirrors,
    a_log: Tensor,
    dt_bias: Tensor,
    conv_state: Tensor,
    recurrent_state: Tensor,
    state_index: Tensor,
    core: Tensor,
    conv_dim_first: bool,
) -> dict[str, Tensor | int]:
    """The kernel's arguments by name.

    Args:
        proj: ``[R, rows]`` bf16, q|k|v|g|f_a|beta; rows may be strided by a multiple of 4.
        g1: ``[R, h·d]`` bf16, ``W_fb f_a``.
        a_log: ``[h]`` fp32; dt_bias: ``[h·d]`` fp32.
        conv_state: ``[slots, C, 3]`` bf16, or ``[slots, 3, C]`` if not ``conv_dim_first``; strided.
        recurrent_state: ``[slots, h, d, d]`` fp32, dense in a slot.
        state_index: ``[R, ≥ 1]`` int32; column 0 is used.
        core: ``[R, h·d]`` bf16, contiguous: the output.

    Raises:
        UnsupportedStep: lists every reason.
    """
    requests = proj.shape[0]
    reasons = []
    if proj.stride(1) != 1 or proj.stride(0) % 4:
        reasons.append(f"proj must have strides (a multiple of 4, 1), got {proj.stride()}")
    for name, tensor in (("g1", g1), ("core", core)):
        if not tensor.is_contiguous():
            reasons.append(f"{name} must be contiguous, got strides {tensor.stride()}")
    if not recurrent_state[0].is_contiguous():
        reasons.append(f"recurrent state must be dense in a slot, got {recurrent_state.stride()}")
    for name, tensor in (("g1", g1), ("core", core), ("state_index", state_index)):
        if tensor.shape[0] != requests:
            reasons.append(f"{name} must have {requests} rows, got {tensor.shape[0]}")
    if reasons:
        raise UnsupportedStep("KDA decode: " + "; ".join(reasons))
    channel, entry = (1, 2) if conv_dim_first else (2, 1)
    return {
        "proj": proj,
        "proj_stride": proj.stride(0),
        "g1": g1,
        "conv_w": mirrors.conv_w,
        "conv_state": conv_state,
        "conv_slot_stride": conv_state.stride(0),
        "conv_channel_stride": conv_state.stride(channel),
        "conv_entry_stride": conv_state.stride(entry),
        "recurrent_state": recurrent_state,
        "state_slot_stride": recurrent_state.stride(0),
        "state_index": state_index,
        "index_stride": state_index.stride(0),
        "a_log": a_log,
        "dt_bias": dt_bias,
        "norm_w": mirrors.norm_w,
        "core": core,
        "requests": requests,
    }


def fused_kda_decode(build: KdaDecodeBuild, **tensors: Any) -> Tensor:
    """Run the decode in place (``decode_values``' arguments) and give the given ``core`` itself.

    On a GPU it is launched on the current stream; on the CPU it runs on the simulator.

    Raises:
        UnsupportedStep, LaunchError: list every reason; nothing is launched.
    """
    from kk3fast import ops

    values = decode_values(**tensors)
    ops.call(build, **values)
    core = tensors["core"]
    assert isinstance(core, Tensor)
    return core
