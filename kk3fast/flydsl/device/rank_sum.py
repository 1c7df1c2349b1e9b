"""The all-reduce's second half: every rank's bf16 partials summed in rank order.

Every rank has pushed its partial to every rank; a region holds them one rank after another. Each
rank sums alike, so all have the same bits.

Maths: ``kk3ref.moe.all_reduce``.
"""

import flydsl.expr as fx

from kk3fast.flydsl.device import mailbox, maths

RUN = 4
"""columns of a run: two pairs"""


def add(words):
    """The ranks' words (two bf16 each, in rank order) summed in fp32: two Float32, not rounded."""
    low, high = maths.low_bf16(words[0]), maths.high_bf16(words[0])
    for word in words[1:]:
        low, high = low + maths.low_bf16(word), high + maths.high_bf16(word)
    return low, high


def receive(mail, box, ranks, stride, starts, batch):
    """Wait for runs of every rank and sum them: two words of packed bf16 a run.

    Args:
        stride: pairs between ranks.
        starts: first pair (even) of each run, in the first rank's part.
        batch: pairs polled at once, of all ranks; what has come is summed before more is awaited.
    """
    at_once, found = max(1, batch // (2 * ranks)), []
    for first in range(0, len(starts), at_once):
        here = starts[first : first + at_once]
        indices = [fx.Int32(start) + rank * stride for start in here for rank in range(ranks)]
        words = mailbox.poll_runs(mail, box, indices, 2 * len(indices))
        for i in range(len(here)):
            mine = words[2 * ranks * i : 2 * ranks * (i + 1)]
            found += [maths.pack_bf16(*add(mine[j::2])) for j in range(2)]
    return found
