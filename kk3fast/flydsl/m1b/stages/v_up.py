"""W_UV and the gate: 16 value columns of a head a task, the depth over waves."""

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr

from kk3fast.flydsl.device import gemv, maths, memory, mxfp4
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import WAVES

STEP = 32


@traced
def v_up(c):
    """Every task of this workgroup."""
    b = c.build
    count = b.value_cols // gemv.ROWS
    for i in range_constexpr(-(-count // b.workgroups)):
        task = c.workgroup + i * b.workgroups
        if task < count:
            _run(c, task)
        if const_expr(count > b.workgroups):
            gpu.barrier()


@traced
def _run(c, task):
    b = c.build
    head = task // (b.value_dim // gemv.ROWS)
    # The gate does not depend on the sums: it is on its way first.
    quads = gemv.ROWS // 4
    t, quad = fx.min(c.tid // quads, b.rows - 1), c.tid % quads
    index = (t * b.value_cols + task * gemv.ROWS + quad * 4) // 2
    live = c.tid < quads * b.rows
    gate = memory.load(c.args["gate"], index, 2, where=live)
    accumulator = _mxfp4(c, task, head) if b.mxfp4 else _bf16(c, task, head)
    gemv.keep(c.lds["partial"], 0, c.lane, c.wave, accumulator)
    if const_expr(not c.planted("sums_missing_barrier")):
        gpu.barrier()
    gates = maths.bf16_values([gate[0], gate[1]])
    if live:
        attn = [
            maths.round_bf16(gemv.result(c.lds["partial"], 0, quad * 4 + i, t)) for i in range(4)
        ]
        _store(c, c.args["attn"], index, attn)
        _store(c, c.args["core"], index, _gated(c, attn, gates))


def _gated(c, attn, gates):
    if c.planted("gate_without_sigmoid"):
        return [a * g for a, g in zip(attn, gates, strict=True)]
    return [a * maths.sigmoid(g) for a, g in zip(attn, gates, strict=True)]


def _store(c, address, index, values):
    words = [maths.pack_bf16(values[j], values[j + 1]) for j in (0, 2)]
    memory.store(address, index, fx.Vector.from_elements(words, fx.Int32))


def _bf16(c, task, head):
    b = c.build
    weights = gemv.load_weights(
        c.args["w_uv"], task * gemv.ROWS, b.value_cols, b.latent, c.lane, c.wave
    )
    depth = b.latent - STEP if c.planted("last_depth_step_skipped") else b.latent
    address = c.args["o_lat"] + fx.Int64(head * b.latent) * 2
    stride = b.heads * b.latent
    row = c.lane % gemv.ROWS
    count = gemv.steps_a_wave(b.latent)
    rows = []
    for i in range(count):
        step = c.wave * count + i
        inside = (row < b.rows) & (step < depth // STEP)
        at = (row * stride + step * STEP + c.lane // gemv.ROWS * 8) // 2
        rows.append(memory.load(address, at, 4, where=inside))
    return gemv.multiply(weights, rows)


def _mxfp4(c, task, head):
    """A wave a step of 128; a lane quantises its block of 32 columns by itself."""
    b, lane = c.build, c.lane
    steps = mxfp4.steps(b.latent)
    row, blocks = lane % gemv.ROWS, b.latent // STEP
    accumulator = fx.Vector.filled(4, 0.0, fx.Float32)
    for i in range(-(-steps // WAVES)):
        step = c.wave + i * WAVES
        block = step * 4 + lane // gemv.ROWS
        last = blocks - 1 if c.planted("last_depth_step_skipped") else blocks
        live = block < last
        word = task * (gemv.ROWS * b.latent // 8) + (step * 64 + lane) * 4
        weights = memory.load(c.args["w_uv"], word, 4, memory.NONTEMPORAL, where=live)
        pairs = -(-b.latent // (mxfp4.STEP * mxfp4.TILE_STEPS))
        at = (task // 2 * pairs + step // 2) * 64 + lane
        scales = memory.load(c.args["w_uv_scales"], at, 1, memory.NONTEMPORAL, where=live)
        half = task % 2
        if c.planted("scale_byte_off"):
            half = 1 - half
        scales = (scales >> ((step % 2 * 2 + half) * 8)) & 255
        first = ((row * b.heads + head) * b.latent + block * STEP) // 2
        inside = live & (row < b.rows)
        words = [
            memory.load(c.args["o_lat"], first + 4 * j, 4, where=inside) for j in range(STEP // 8)
        ]
        values = maths.bf16_values([w[k] for w in words for k in range(4)])
        code = mxfp4.scale_code(mxfp4.magnitude(values))
        packed = [mxfp4.encode(values[j : j + 8], code) for j in range(0, STEP, 8)]
        o = fx.Vector.from_elements(packed, fx.Int32)
        accumulator = mxfp4.multiply(weights, scales, 0, o, code, accumulator)
        at = (row * b.heads + head) * blocks + block
        _keep_codes(c, at, inside & _is_first(c, task), o, code)
    return accumulator


def _is_first(c, task):
    return task % (c.build.value_dim // gemv.ROWS) == 0


@traced
def _keep_codes(c, at, where, o, code):
    """The first task of a head leaves the quantised output where it can be checked."""
    if where:
        memory.store(c.args["o_codes"], at * 4, o)
        memory.store(c.args["o_scales"], at, code)
