"""bf16 matrix times up to 8 rows: 8 weight rows a task on ``mfma 16x16x32``, two depths at once.

As ``gemv``, but the instruction's 16 rows are 8 weight rows at two depths, and its 16 columns are
8 activation rows at the same two: of the four blocks of products the two on the diagonal are
wanted and are added. No operand register is idle, and a task is half as large.

Operand layouts: lane ``l`` holds weight row ``l % 8`` and depth ``8·(l // 16)`` … + 8 of half
``l % 16 // 8`` of a step of 64. Activation rows are the same, reversed in the second half, so that
what belongs together is a row mirror and half a wave apart.
"""

import flydsl.expr as fx

from kk3fast.flydsl.device import gemv, lanes, memory
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import WAVES

ROWS = 8
STEP = 64
QUADS = ROWS // 4
"""groups of 4 weight rows, as results come"""
PARTIAL_WORDS = WAVES * QUADS * ROWS * 4
"""fp32 words of LDS a task's partial sums take"""


def steps_a_wave(depth):
    """Depth steps of each wave (the last waves may have fewer or none)."""
    return -(-depth // (STEP * WAVES))


def weight_row(lane):
    """Which of a task's 8 weight rows a lane holds."""
    return lane % ROWS


def activation_row(lane):
    """Which activation row a lane holds."""
    place = lane % 16
    return (place < ROWS).select(place, 15 - place)


def column(lane, wave, depth, i):
    """First column of a lane's 8 in step ``i`` of its wave; may lie past the depth."""
    step = wave * steps_a_wave(depth) + i
    return step * STEP + lane % 16 // ROWS * 32 + lane // 16 * 8


def _exact(depth):
    return depth == steps_a_wave(depth) * WAVES * STEP


def load_step(address, row, live, depth, lane, wave, i, policy=memory.NONTEMPORAL):
    """A lane's 8 elements of step ``i``: 4 words; zeros where not ``live`` or past the depth.

    ``address``: of a row-major bf16 matrix of a ``depth`` that is a multiple of 32 (uniform).
    ``row``: the lane's row. ``live``: whether it exists (None: always).
    """
    at = column(lane, wave, depth, i)
    inside = None if _exact(depth) else at < depth
    where = inside if live is None else live if inside is None else live & inside
    return memory.load(address, (row * depth + at) // 2, 4, policy, where=where)


def load(address, row, live, depth, lane, wave, policy=memory.NONTEMPORAL):
    """Every step of a lane, as ``load_step``: a list of 4-word vectors."""
    return [
        load_step(address, row, live, depth, lane, wave, i, policy)
        for i in range(steps_a_wave(depth))
    ]


def load_rows(address, rows, depth, lane, wave, policy=memory.DEVICE):
    """Activation rows 0 … ``rows`` (at most 8) of a ``[rows, depth]`` bf16 matrix."""
    row = activation_row(lane)
    return load(address, row, row < rows, depth, lane, wave, policy)


def multiply(weights, rows, accumulator=None):
    """Sum of products over this wave's steps: Vector of 4 Float32, halves not yet ``joined``."""
    return gemv.multiply(weights, rows, accumulator)


def joined(accumulator):
    """Both halves of the depth added. Lane ``l < 32`` with ``l % 16 < 8`` has weight rows
    ``4·(l // 16)`` … + 4 of activation row ``l % 16``; other lanes have nothing of use."""
    found = []
    for i in range(4):
        value = accumulator[i]
        found.append(value + lanes.from_upper_half(lanes.mirrored(value)))
    return fx.Vector.from_elements(found, fx.Float32)


@traced
def keep(lds, task, lane, wave, accumulator):
    """Store a wave's partial sums; ``lds`` holds ``PARTIAL_WORDS`` fp32 a task. Then a barrier."""
    found = joined(accumulator)
    if (lane < 32) & (lane % 16 < ROWS):
        at = task * PARTIAL_WORDS + ((wave * QUADS + lane // 16) * ROWS + lane % 16) * 4
        fx.ptr_store(found, lds + at)


def result(lds, task, quad, row):
    """The task's values for weight rows ``4·quad`` … of an activation row, summed in wave order:
    four Float32."""
    at = task * PARTIAL_WORDS + (quad * ROWS + row) * 4
    total = fx.Vector(fx.ptr_load(lds + at, result_type=fx.Float32x4))
    values = [total[i] for i in range(4)]
    for wave in range(1, WAVES):
        part = lds + (at + wave * QUADS * ROWS * 4)
        more = fx.Vector(fx.ptr_load(part, result_type=fx.Float32x4))
        values = [values[i] + more[i] for i in range(4)]
    return values


def products(lds, first, count, total, weights, next_step, rows, lane, wave):
    """Partial sums of tasks ``first`` … ``first + count`` to LDS; the caller has the barrier.

    ``weights``: task ``first``'s. ``next_step(task, step)``: loads a step of a later task (of
    ``total``); it is called as soon as the registers of that step are free, so loads never pause.
    Gives the weights of the task that comes next.
    """
    for task in range(count):
        accumulator = fx.Vector.filled(4, 0.0, fx.Float32)
        following = []
        for step in range(len(weights)):
            accumulator = multiply([weights[step]], [rows[step]], accumulator)
            if first + task + 1 < total:
                following.append(next_step(first + task + 1, step))
        keep(lds, task, lane, wave, accumulator)
        weights = following
    return weights
