"""What reads x: the rank's rows of the router and of W_ld, and the shared experts' gate and up.

A task is 8 weight rows: of the router, of W_ld, or 4 gate rows with the 4 up rows that meet them
in SiTU. Router and latent come first: the routing waits for them. The first tasks' weights are on
their way before x is awaited.
"""

import functools

import flydsl.expr as fx
from flydsl.expr import gpu, range_constexpr

from kk3fast.flydsl.device import gemv8, mailbox, maths, memory, situ
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.k2.stages.attention import await_x

AT_ONCE = 4


def _counts(b):
    """Tasks of the router, of W_ld and of the shared experts."""
    router = -(-(b.experts // b.ranks) // gemv8.ROWS)
    return router, b.latent // b.ranks // gemv8.ROWS, b.shared // 4


def _task(c, i):
    """Dealt backwards: the workgroups that route rows have what is urgent for no one."""
    return i * c.build.workgroups + (c.build.workgroups - 1 - c.workgroup)


def _step(c, i, step):
    b, args, task = c.build, c.args, _task(c, i)
    router, latent, shared = _counts(b)
    row = gemv8.weight_row(c.lane)
    in_router, in_latent = task < router, task < router + latent
    own = b.experts // b.ranks
    router_row = args["rank"] * own + task * gemv8.ROWS + row
    latent_row = args["rank"] * (b.latent // b.ranks) + (task - router) * gemv8.ROWS + row
    shared_row = (task - router - latent) * 4 + row % 4 + row // 4 * b.shared
    here = in_router.select(router_row, in_latent.select(latent_row, shared_row))
    there = in_latent.select(args["w_ld"], args["w_sgu"])
    address = in_router.select(args["w_gate"], there)
    live = (task < router + latent + shared) & ~(in_router & (task * gemv8.ROWS + row >= own))
    return gemv8.load_step(address, here, live, b.hidden, c.lane, c.wave, step)


def project(c):
    """Every task of this workgroup."""
    b = c.build
    tasks = -(-sum(_counts(b)) // b.workgroups)
    weights = [_step(c, 0, step) for step in range(gemv8.steps_a_wave(b.hidden))]
    await_x(c)
    x = gemv8.load_rows(c.args["x"], b.rows, b.hidden, c.lane, c.wave)
    for first in range(0, tasks, AT_ONCE):
        count, next_step = min(AT_ONCE, tasks - first), functools.partial(_step, c)
        weights = gemv8.products(
            c.lds["partial"], first, count, tasks, weights, next_step, x, c.lane, c.wave
        )
        gpu.barrier()
        for j in range(count):
            _push(c, j, _task(c, first + j))
            _activate(c, j, _task(c, first + j))
        gpu.barrier()


@traced
def _push(c, j, task):
    """Router and latent rows: wave ``w`` pushes to rank ``w``, four weight rows of a row a lane."""
    b = c.build
    router, latent, _ = _counts(b)
    t, quad = c.lane // gemv8.QUADS, c.lane % gemv8.QUADS
    if (t < b.rows) & (c.wave < b.ranks) & (task < router + latent):
        values = gemv8.result(c.lds["partial"], j, quad, t)
        if task < router:
            first = task * gemv8.ROWS + quad * 4
            if first < b.experts // b.ranks:
                at = t * b.experts + c.args["rank"] * (b.experts // b.ranks) + first
                for i in range_constexpr(0, 4, 2):
                    mailbox.put(c.mail, c.remote["logits"], at + i, values[i], values[i + 1])
        else:
            words = [maths.pack_bf16(values[i], values[i + 1]) for i in (0, 2)]
            row = c.args["rank"] * (b.latent // b.ranks) + (task - router) * gemv8.ROWS + quad * 4
            at = t * (b.latent // 2) + row // 2
            mailbox.put(c.mail, c.remote["latent"], at, *words)


@traced
def _activate(c, j, task):
    """Shared rows: four gate rows meet their up rows, a lane a row of the step."""
    b = c.build
    router, latent, shared = _counts(b)
    mine = task - router - latent
    if (mine >= 0) & (mine < shared) & (c.tid < b.rows):
        gate, up = (gemv8.result(c.lds["partial"], j, quad, c.tid) for quad in range(2))
        halves = []
        for part in (gate, up):
            halves.append([maths.pack_bf16(part[i], part[i + 1]) for i in (0, 2)])
        gates, ups = (maths.bf16_values(words) for words in halves)
        hidden = [situ.situ(g, u, b.beta, b.linear_beta) for g, u in zip(gates, ups, strict=True)]
        words = [maths.pack_bf16(hidden[i], hidden[i + 1]) for i in (0, 2)]
        mailbox.put(c.mail, c.boxes["shared"], c.tid * (b.shared // 2) + mine * 2, *words)
        for half in range_constexpr(2):
            # Nobody waits for these: they show what the activation saw.
            at = c.tid * b.shared + half * (b.shared // 2) + mine * 2
            memory.store(c.args["gate_up"], at, fx.Vector.from_elements(halves[half], fx.Int32))
