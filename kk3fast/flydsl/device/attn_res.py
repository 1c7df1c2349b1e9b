"""One row of an AttnRes read by one workgroup: every source stays in registers.

A thread holds pieces of 8 columns (4 words of two bf16): piece ``i`` of thread ``t`` is columns
``8·(t + 512·i)`` …. Columns past the row read as zero and are not stored.

Maths: ``kk3ref.attn_res``.
"""

from dataclasses import dataclass

import flydsl.expr as fx
from flydsl.expr import range_constexpr

from kk3fast.flydsl.device import maths, memory, workgroup
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS

PIECE = 8


@dataclass(frozen=True)
class Row:
    """What is fixed of a read: sizes and epsilons, known when the kernel is built."""

    hidden: int
    eps: float
    out_eps: float

    @property
    def pieces(self) -> int:
        """Pieces of a thread."""
        return -(-self.hidden // PIECE // THREADS)


def lds_words(sources):
    """fp32 words of LDS that ``read`` takes for a number of sources (blocks and the prefix)."""
    return workgroup.sum_words(2 * sources) + workgroup.sum_words(1)


def inside(row, tid, piece):
    """Whether a thread's piece lies in the row."""
    return tid + THREADS * piece < row.hidden // PIECE


def load(row, address, first, tid, policy=memory.PLAIN):
    """A thread's pieces of a bf16 row that starts at element ``first``: 4-word vectors."""
    return [
        memory.load(
            address, first // 2 + (tid + THREADS * i) * 4, 4, policy, where=inside(row, tid, i)
        )
        for i in range(row.pieces)
    ]


@traced
def store(row, address, first, tid, pieces, policy=memory.PLAIN):
    """Store a thread's pieces to a bf16 row that starts at element ``first``."""
    for i in range_constexpr(row.pieces):
        if inside(row, tid, i):
            memory.store(address, first // 2 + (tid + THREADS * i) * 4, pieces[i], policy)


def updated(prefix, delta):
    """``bf16(prefix + delta)`` of pieces."""
    return [_map(_add_words, a, b) for a, b in zip(prefix, delta, strict=True)]


def _add_words(a, b):
    low = maths.low_bf16(a) + maths.low_bf16(b)
    return maths.pack_bf16(low, maths.high_bf16(a) + maths.high_bf16(b))


def _map(function, a, b):
    return fx.Vector.from_elements([function(a[j], b[j]) for j in range(4)], fx.Int32)


def _columns(words):
    return maths.bf16_values([words[j] for j in range(4)])


def read(row, sources, norm, query, out_norm, lds, tid, lane, wave):
    """The read's output row, as pieces of packed bf16.

    ``sources``: pieces of every valid block, then of the prefix. ``norm``, ``query`` and
    ``out_norm``: addresses of bf16 ``[H]``. ``lds``: ``lds_words(len(sources))`` words.
    """
    if len(sources) == 1:
        mixed = [_columns(words) for words in sources[0]]
    else:
        mixed = _mix(row, sources, norm, query, lds, tid, lane, wave)
    square = fx.Float32(0.0)
    for columns in mixed:
        for value in columns:
            square = square + value * value
    rest = lds + workgroup.sum_words(2 * len(sources))
    scale = maths.rsqrt(_mean(row, workgroup.sums([square], rest, lane, wave)[0]) + row.out_eps)
    found = []
    for columns, words in zip(mixed, load(row, out_norm, fx.Int32(0), tid), strict=True):
        x = [v * scale * w for v, w in zip(columns, _columns(words), strict=True)]
        pairs = [maths.pack_bf16(x[j], x[j + 1]) for j in range(0, PIECE, 2)]
        found.append(fx.Vector.from_elements(pairs, fx.Int32))
    return found


def _mean(row, total):
    return total * (1.0 / row.hidden)


def _mix(row, sources, norm, query, lds, tid, lane, wave):
    norms, queries = (load(row, a, fx.Int32(0), tid) for a in (norm, query))
    weights = [
        [a * b for a, b in zip(_columns(n), _columns(q), strict=True)]
        for n, q in zip(norms, queries, strict=True)
    ]
    partial = []
    for source in sources:
        square, dot = fx.Float32(0.0), fx.Float32(0.0)
        for words, weight in zip(source, weights, strict=True):
            for value, w in zip(_columns(words), weight, strict=True):
                square = square + value * value
                dot = dot + value * w
        partial += [square, dot]
    total = workgroup.sums(partial, lds, lane, wave)
    logits = [
        total[2 * s + 1] * maths.rsqrt(_mean(row, total[2 * s]) + row.eps)
        for s in range(len(sources))
    ]
    peak = logits[0]
    for logit in logits[1:]:
        peak = fx.max(peak, logit)
    shares = [maths.exp(logit - peak) for logit in logits]
    whole = shares[0]
    for share in shares[1:]:
        whole = whole + share
    shares = [share / whole for share in shares]
    mixed = []
    for i in range(row.pieces):
        columns = [v * shares[0] for v in _columns(sources[0][i])]
        for share, source in zip(shares[1:], sources[1:], strict=True):
            values = _columns(source[i])
            columns = [m + v * share for m, v in zip(columns, values, strict=True)]
        mixed.append(columns)
    return mixed
