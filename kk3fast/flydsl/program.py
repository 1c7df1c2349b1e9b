"""Kernel and launcher of a build, made of its argument table, its LDS and its stages.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

import inspect

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr.typing import Int32, Int64

from kk3fast.flydsl.context import Context
from kk3fast.flydsl.device import lanes, mailbox, memory
from kk3fast.flydsl.geometry import SLOTS, WAVE
from kk3fast.flydsl.layout import total_bytes

_TYPES = {"i64": Int64, "i32": Int32}
_HANDED_OVER = ("epoch", "slot", "health", "alarm")
_ALIGNMENT = 16
_KIND = inspect.Parameter.POSITIONAL_OR_KEYWORD


def launcher(build, lds, program):
    """The ``@flyc.jit`` launcher of a build; its key, that is every parameter, is in its closure.

    ``lds``: FlyDSL type and number of words of every LDS array, by name. ``program``: called with
    the launch's :class:`Context` while the kernel is traced.
    """
    key = build.key()
    regions = build.scratch()
    fields = {n: fx.Array[kind, words, _ALIGNMENT] for n, (kind, words) in lds.items()}
    shared = fx.struct(type("Shared", (), {"__annotations__": fields}))

    def kernel(**given):
        _ = key
        tid = fx.Int32(fx.thread_idx.x)
        shared_memory = fx.SharedAllocator().allocate(shared).peek()
        scratch = given.get("scratch")
        plain = {n: scratch + r.offset for n, r in regions.items() if not r.pairs}
        boxes = {n: mailbox.scratch_box(scratch, r) for n, r in regions.items() if r.pairs}
        handed_over = [given[n] for n in _HANDED_OVER if n in given]
        mail = mailbox.open_mail(*handed_over) if handed_over else None
        wave = lanes.uniform(tid // WAVE)
        own, remote = _peer_boxes(build, mail, given, wave)
        context = Context(
            build,
            {**given, **plain},
            mail,
            {**boxes, **own},
            fx.Int32(fx.block_idx.x),
            tid,
            tid % WAVE,
            wave,
            {name: getattr(shared_memory, name).ptr for name in fields},
            remote,
        )
        program(context)

    kernel = flyc.kernel(known_block_size=list(build.block), name=build.symbol)(
        _with_parameters(kernel, build)
    )

    def launch(stream, **given):
        kernel(**given).launch(grid=build.grid, block=build.block, stream=stream)

    stream = inspect.Parameter(
        "stream",
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=fx.Stream(None),
        annotation=fx.Stream,
    )
    return flyc.jit(_with_parameters(launch, build, stream))


def _peer_boxes(build, mail, given, wave):
    """Regions of the rank's own peer buffer, and of that of rank ``wave`` (at most the last)."""
    regions = build.peer()
    if not regions:
        return {}, {}
    half, parity = total_bytes(regions), ((mail.tag - 1) // SLOTS) % 2
    found = []
    for rank in (given["rank"], fx.min(wave, fx.Int32(build.ranks - 1))):
        words = memory.load(given["peers"], rank * 2, 2)
        low, high = lanes.uniform(words[0]), lanes.uniform(words[1])
        base = (fx.Int64(high) << 32) | fx.Int64(fx.Uint32(low))
        found.append({n: mailbox.peer_box(base, r, half, parity) for n, r in regions.items()})
    return found


def _with_parameters(function, build, *more):
    """``function``, which takes any names, with the signature of the build's table."""
    parameters = [
        inspect.Parameter(a.name, _KIND, annotation=_TYPES[a.ctype]) for a in build.arguments()
    ]
    parameters += more
    function.__signature__ = inspect.Signature(parameters)
    function.__annotations__ = {p.name: p.annotation for p in parameters}
    return function
