"""Inner values of M1 after a step, by the reference's tap names."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from kk3fast.flydsl.layout import Region
from kk3fast.flydsl.m1a import M1aBuild
from kk3fast.flydsl.m1b import M1bBuild
from kk3fast.flydsl.run.memory import WordReader
from kk3fast.flydsl.run.values import KernelLaunch
from kk3fast.flydsl.run.words import bf16, low_byte, uint8


def m1_taps(launches: Sequence[KernelLaunch], memory: WordReader, rank: int) -> dict[str, Tensor]:
    """Every tap of M1 but those that are layer outputs."""
    first, attention, last = launches
    assert isinstance(first.build, M1aBuild)
    assert isinstance(last.build, M1bBuild)
    taps = m1a_taps(first.build, memory, rank)
    gate, query = first.values[rank]["gate"], first.values[rank]["query"]
    o_lat = attention.values[rank]["o_lat"]
    assert isinstance(gate, Tensor)
    assert isinstance(query, Tensor)
    assert isinstance(o_lat, Tensor)
    handed = taps.pop("handed")
    taps |= {
        "proj_a": torch.cat([handed, memory.seen(gate)], 1),
        "query": memory.seen(query),
        "o_lat": memory.seen(o_lat),
    }
    return taps | m1b_taps(last.build, memory, rank)


def m1a_taps(build: M1aBuild, memory: WordReader, rank: int) -> dict[str, Tensor]:
    """Of M1a; ``handed`` is the projection without the gate."""
    regions, rows, heads = build.scratch(), build.rows, build.heads
    shapes = {
        "x": ("x", (rows, build.hidden)),
        "proj": ("handed", (rows, build.handed_rows)),
        "q_c_normed": ("q_c_normed", (rows, build.q_lora)),
        "kv_normed": ("kv_normed", (rows, build.latent)),
        "q": ("q", (rows, heads, build.head_rows)),
        "q_lat": ("q_lat", (rows, heads, build.latent)),
    }
    taps = {
        tap: bf16(memory.values(rank, regions[name])).view(shape)
        for name, (tap, shape) in shapes.items()
    }
    if build.mxfp4:
        taps |= _codes(memory, rank, regions, "q", (rows, heads))
    return taps


def m1b_taps(build: M1bBuild, memory: WordReader, rank: int) -> dict[str, Tensor]:
    """Of M1b."""
    regions, lead = build.scratch(), (build.rows, build.heads)
    attn = bf16(memory.values(rank, regions["attn"])).view(*lead, build.value_dim)
    taps = {"attn": attn}
    if build.mxfp4:
        taps |= _codes(memory, rank, regions, "o", lead)
    return taps


def _codes(
    memory: WordReader, rank: int, regions: dict[str, Region], name: str, lead: tuple[int, int]
) -> dict[str, Tensor]:
    """MXFP4 elements and scales; a scale is kept in a word of its own."""
    codes = uint8(memory.values(rank, regions[f"{name}_codes"]))
    scales = memory.values(rank, regions[f"{name}_scales"])
    return {
        f"{name}_codes": codes.view(*lead, -1),
        f"{name}_scales": low_byte(scales).view(*lead, -1),
    }
