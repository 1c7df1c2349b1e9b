"""A wave takes one row's latent from the mailbox and norms it: 4 columns a lane and run."""

import flydsl.expr as fx

from kk3fast.flydsl.device import lanes, mailbox, maths, memory

RUN = 4
"""columns of a run: two pairs"""


def runs(columns):
    """Runs of a lane."""
    return -(-(columns // RUN) // lanes.WAVE)


def columns_of(columns, lane):
    """First column of every run of a lane, and whether it exists (None: always)."""
    count = columns // RUN
    found = []
    for i in range(runs(columns)):
        run = fx.Int32(lane) + i * lanes.WAVE
        inside = None if (i + 1) * lanes.WAVE <= count else run < count
        found.append((fx.min(run, count - 1) * RUN, inside))
    return found


def load_weight(address, columns, lane):
    """The lane's norm weights, before the latent is awaited: two words a run."""
    return [memory.load(address, column // 2, 2) for column, _ in columns_of(columns, lane)]


def receive(c, row, first, columns):
    """Words of the row's projection columns ``first`` …: two a run of the lane."""
    base = row * c.build.handed_rows + first
    indices = [(base + column) // 2 for column, _ in columns_of(columns, c.lane)]
    return mailbox.poll_runs(c.mail, c.boxes["proj"], indices)


def normed(words, weight, columns, lane, eps):
    """``x·rsqrt(mean(x²) + eps)·w`` of the received words: four Float32 a run, not yet rounded."""
    values = [maths.bf16_values(words[2 * i : 2 * i + 2]) for i in range(runs(columns))]
    square = fx.Float32(0.0)
    for (_, inside), run in zip(columns_of(columns, lane), values, strict=True):
        part = run[0] * run[0]
        for value in run[1:]:
            part = part + value * value
        square = square + (part if inside is None else inside.select(part, fx.Float32(0.0)))
    scale = maths.rsqrt(lanes.total(square) * fx.Float32(1.0 / columns) + fx.Float32(eps))
    return [
        [v * scale * w for v, w in zip(run, maths.bf16_values([words_[0], words_[1]]), strict=True)]
        for run, words_ in zip(values, weight, strict=True)
    ]
