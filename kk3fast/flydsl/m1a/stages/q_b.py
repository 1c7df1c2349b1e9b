"""q_b: every workgroup with a task norms all rows' query latents itself, a wave a row.

That costs a read of the latents a workgroup, and saves a hand-off. The weights are on their way
before the latents are awaited.
"""

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr

from kk3fast.flydsl.device import gemv, mailbox, maths, memory
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.m1a.stages import latent

PAD = 4
"""words between rows in LDS, so that rows start in different banks"""


def lds_words(build):
    """Words of LDS of the normed latents."""
    return build.rows * (build.q_lora // 2 + PAD)


def tasks(build):
    """16-row tasks of W_qb."""
    return build.q_rows // gemv.ROWS


def _weights(c, i):
    b = c.build
    first = (c.workgroup + i * b.workgroups) * gemv.ROWS
    return gemv.load_weights(c.args["w_qb"], first, b.q_rows, b.q_lora, c.lane, c.wave)


@traced
def project_query(c):
    """Every task of this workgroup; workgroups without one go on."""
    if c.workgroup < tasks(c.build):
        _run(c)


@traced
def _run(c):
    b = c.build
    weights = _weights(c, 0)
    _norm(c)
    if const_expr(not c.planted("q_c_missing_barrier")):
        gpu.barrier()
    q_c = _operands(c)
    for i in range_constexpr(-(-tasks(b) // b.workgroups)):
        gemv.keep(c.lds["partial"], 0, c.lane, c.wave, gemv.multiply(weights, q_c))
        weights = _weights(c, i + 1)  # past the last task: no memory is touched
        gpu.barrier()
        _hand_over(c, c.workgroup + i * b.workgroups)
        gpu.barrier()


@traced
def _norm(c):
    """Wave ``w`` norms row ``w``; the first workgroup keeps the rows where they can be checked."""
    b, row = c.build, c.wave
    if row < b.rows:
        weight = latent.load_weight(c.args["q_norm"], b.q_lora, c.lane)
        words = latent.receive(c, row, 0, b.q_lora)
        found = latent.normed(words, weight, b.q_lora, c.lane, b.norm_eps)
        places = latent.columns_of(b.q_lora, c.lane)
        for i in range_constexpr(len(places)):
            column, inside = places[i]
            pair = [maths.pack_bf16(found[i][j], found[i][j + 1]) for j in (0, 2)]
            pair = fx.Vector.from_elements(pair, fx.Int32)
            live = fx.Boolean(True) if inside is None else inside
            if live:
                fx.ptr_store(pair, c.lds["q_c"] + (row * (b.q_lora // 2 + PAD) + column // 2))
            if live & (c.workgroup == 0):
                memory.store(c.args["q_c_normed"], (row * b.q_lora + column) // 2, pair)


def _operands(c):
    """This wave's depth steps of all rows as matrix operands, as ``gemv.load_rows`` gives them."""
    b = c.build
    count = gemv.steps_a_wave(b.q_lora)
    row = fx.min(c.lane % gemv.ROWS, b.rows - 1)
    found = []
    for i in range(count):
        step = fx.min(c.wave * count + i, b.q_lora // gemv.STEP - 1)  # past it weights are zero
        at = row * (b.q_lora // 2 + PAD) + step * (gemv.STEP // 2) + c.lane // gemv.ROWS * 4
        kind = fx.Vector.make_type(4, fx.Int32)
        found.append(fx.Vector(fx.ptr_load(c.lds["q_c"] + at, result_type=kind)))
    return found


@traced
def _hand_over(c, task):
    b = c.build
    quads = gemv.ROWS // 4
    if (c.tid < quads * b.rows) & (task < tasks(b)):
        t, quad = c.tid // quads, c.tid % quads
        values = [gemv.result(c.lds["partial"], 0, quad * 4 + i, t) for i in range(4)]
        words = [maths.pack_bf16(values[i], values[i + 1]) for i in (0, 2)]
        index = (t * b.q_rows + task * gemv.ROWS + quad * 4) // 2
        mailbox.put(c.mail, c.boxes["q"], fx.Int32(index), *words)
