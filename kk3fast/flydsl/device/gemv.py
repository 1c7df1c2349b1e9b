"""bf16 matrix times a few rows: 16 weight rows a task on ``mfma 16x16x32``, the depth over waves.

A task multiplies weight rows ``row0`` … ``row0 + 16`` with up to 16 activation rows. Its waves share
the depth in steps of 32: wave ``w`` takes steps ``w·n`` … (n steps each), so every activation value is
read by one wave only and can stay in its registers over all tasks of the workgroup. The waves'
accumulators meet in LDS and are summed in wave order.

Operand layouts of the instruction: lane ``l`` holds row ``l % 16`` and depth ``8·(l // 16)`` … + 8 of
either operand; result ``i`` of lane ``l`` is weight row ``4·(l // 16) + i``, activation row ``l % 16``.
"""

import flydsl.expr as fx
from flydsl.expr import rocdl
from flydsl.expr.typing import T

from kk3fast.flydsl.device import memory
from kk3fast.flydsl.geometry import WAVE, WAVES

ROWS = 16
STEP = 32
PARTIAL_WORDS = WAVES * WAVE * 4
"""fp32 words of LDS a task's partial sums take"""


def steps_a_wave(depth, waves=WAVES):
    """Depth steps of each wave (the last waves may have fewer or none)."""
    return -(-depth // STEP // waves)


def load_weights(address, row0, rows, depth, lane, wave, policy=memory.NONTEMPORAL, waves=WAVES):
    """This wave's part of weight rows ``row0`` … + 16 of a row-major ``[rows, depth]`` bf16 matrix.

    ``depth`` must be a multiple of 32. Rows and steps that do not exist read as zero without any
    memory traffic. Returns a list of 4-word vectors, one a step.
    """
    row = row0 + lane % ROWS
    return _operands(address, row, row < rows, depth, depth, lane, wave, policy, waves)


def load_weight_rows(address, row, live, depth, lane, wave, policy=memory.NONTEMPORAL, waves=WAVES):
    """As ``load_weights`` for any 16 rows: ``row`` is this lane's (of lane ``l``: task row ``l % 16``).

    Lanes in which ``live`` does not hold read zeros.
    """
    return _operands(address, row, live, depth, depth, lane, wave, policy, waves)


def load_rows(address, rows, depth, lane, wave, policy=memory.DEVICE, stride=None, waves=WAVES):
    """This wave's part of activation rows 0 … ``rows`` of a ``[rows, depth]`` bf16 matrix.

    ``stride``: elements between rows (``depth`` by default).
    """
    row = lane % ROWS
    stride = depth if stride is None else stride
    return _operands(address, row, row < rows, depth, stride, lane, wave, policy, waves)


def _operands(address, row, live, depth, stride, lane, wave, policy, waves):
    count, found = steps_a_wave(depth, waves), []
    exact = depth // STEP == count * waves
    first = wave * count
    base = row * stride + (lane // ROWS) * 8
    for i in range(count):
        step = first + i
        inside = live if exact else live & (step < depth // STEP)
        word = (base + step * STEP) // 2
        found.append(memory.load(address, word, 4, policy, where=inside))
    return found


def multiply(weights, rows, accumulator=None):
    """Sum of products over this wave's steps: Vector of 4 Float32."""
    if accumulator is None:
        accumulator = fx.Vector.filled(4, 0.0, fx.Float32)
    for w, x in zip(weights, rows, strict=True):
        operands = [w.bitcast(fx.BFloat16), x.bitcast(fx.BFloat16), accumulator]
        accumulator = fx.Vector(rocdl.mfma_f32_16x16x32_bf16(T.vec(4, T.f32), operands))
    return accumulator


def keep(lds, task, lane, wave, accumulator):
    """Store a wave's accumulator; ``lds`` holds ``PARTIAL_WORDS`` fp32 a task. Then a barrier."""
    fx.ptr_store(accumulator, lds + (task * PARTIAL_WORDS + (wave * WAVE + lane) * 4))


def result(lds, task, weight_row, row, waves=WAVES):
    """The task's value for a weight row (0 … 15) and an activation row, summed in wave order."""
    at = task * PARTIAL_WORDS + (weight_row // 4 * ROWS + row) * 4 + weight_row % 4
    value = fx.ptr_load(lds + at)
    for wave in range(1, waves):
        value = value + fx.ptr_load(lds + (at + wave * WAVE * 4))
    return value
