"""The KDA short convolution, one thread a channel: old window, rows of a step, new window.

A request's window is slot ``state_index[m, 0]`` of the conv state pool: ``W-1 + L-1`` bf16 entries
a channel, of which ``n-1 … n+W-3`` precede the step's first row (``n`` rows were accepted last
time). The pool may be ``[slots, channel, entry]`` or ``[slots, entry, channel]``; strides say
which. Slot 0 is the null slot: it reads as zero and nothing is written.

The window may be read by several workgroups; only the channel's owner stores the new one, and only
once every other reader is known to have the old one.

Maths: ``kk3ref.kda.spec_conv``.
"""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx
from flydsl.expr import range_constexpr

from kk3fast.flydsl.device import maths, memory
from kk3fast.flydsl.device.tracing import traced

WIDTH = 4
"""taps of the convolution"""
TAPS = WIDTH - 1
"""of them before the current row"""


@dataclass(frozen=True)
class Window:
    """The conv state of one request."""

    address: Any
    """of its slot: Int64, uniform"""
    channel_stride: Any
    """elements between channels"""
    entry_stride: Any
    """elements between entries"""
    live: Any
    """whether it is not the null slot"""


def window(pool, slot, slot_stride, channel_stride, entry_stride):
    """The window in a slot (Int32, uniform) of the pool at an address; strides in elements."""
    address = pool + fx.Int64(slot) * fx.Int64(slot_stride) * 2
    return Window(address, channel_stride, entry_stride, slot != 0)


def _at(window, channel, entry):
    return channel * window.channel_stride + entry * window.entry_stride


def _both(window, where):
    return window.live if where is None else window.live & where


def load_history(window, channel, accepted, where=None):
    """The channel's ``TAPS`` inputs before the step, as Float32, oldest first.

    ``accepted``: rows accepted of the request's previous step, at least 1.
    """
    first = accepted - 1
    return [
        memory.load_bf16(
            window.address, _at(window, channel, first + j), where=_both(window, where)
        )
        for j in range(TAPS)
    ]


def load_weights(address, part, channel, channels, width_major, where=None):
    """The ``WIDTH`` fp32 weights of channel ``channel`` of part ``part`` (0 q, 1 k, 2 v).

    ``channels``: of a part. The weight is ``[3·channels, WIDTH]``, or ``[3][WIDTH][channels]`` if
    ``width_major``.
    """
    if width_major:
        first = part * (WIDTH * channels) + channel
        return [memory.load_f32(address, first + j * channels, where=where) for j in range(WIDTH)]
    words = memory.load(address, (part * channels + channel) * WIDTH, WIDTH, where=where)
    found = words.bitcast(fx.Float32)
    return [found[j] for j in range(WIDTH)]


def convolve(history, weights, rows):
    """``bf16(c·sigmoid(c))`` of each row: lists of Float32, ``rows`` holding bf16 inputs."""
    inputs = [*history, *rows]
    found = []
    for t in range(len(rows)):
        c = weights[0] * inputs[t]
        for j in range(1, WIDTH):
            c = c + weights[j] * inputs[t + j]
        found.append(maths.round_bf16(c * maths.sigmoid(c)))
    return found


@traced
def store_window(window, channel, history, rows, where):
    """Store the window after the step, ``history[1:]`` and the rows, where a condition holds."""
    entries = [*history[1:], *rows]
    if _both(window, where):
        for j in range_constexpr(len(entries)):
            memory.store_bf16(window.address, _at(window, channel, j), entries[j])
