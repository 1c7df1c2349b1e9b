# ruff: noqa: E501  (MLIR text)
"""FlyDSL kernels of our own: examples, and hand-offs with and without planted defects.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import llvm
from flydsl.expr import const_expr, gpu, range_constexpr, rocdl
from flydsl.expr.typing import Int32, Int64, T, as_ir_value

from kk3fast.compile import compile_launcher

_STREAM = fx.Stream(None)
PLAIN, NONTEMPORAL, DEVICE, SYSTEM = 0, 2, 16, 17


def located(launch, *args):
    """A launcher's kernel-level IR with debug locations."""
    return compile_launcher(launch, args, isa=False).located_ir


def resource(address):
    """A buffer resource over everything from an address."""
    pointer = llvm.inttoptr(ir.Type.parse("!llvm.ptr<1>"), as_ir_value(fx.Int64(address)))
    number = lambda bits, n: as_ir_value({16: fx.Int16, 32: fx.Int32, 64: fx.Int64}[bits](n))  # noqa: E731
    parts = [pointer, number(16, 0), number(64, 0xFFFFFFFF), number(32, 159744)]
    return rocdl.make_buffer_rsrc(ir.Type.parse("!llvm.ptr<8>"), *parts)


def policy(aux):
    """A cache policy as an attribute (None: plain)."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), aux) if aux else None


def get(address, index, aux):
    """Word ``index`` at an address."""
    at, none = as_ir_value(fx.Int32(index) * 4), as_ir_value(fx.Int32(0))
    return fx.Int32(rocdl.raw_ptr_buffer_load(T.i32, resource(address), at, none, aux=policy(aux)))


def get_pair(address, index, aux):
    """Words ``2 index`` and ``2 index + 1`` in one 64-bit load."""
    at, none = as_ir_value(fx.Int32(index) * 8), as_ir_value(fx.Int32(0))
    words = T.vec(2, T.i32)
    return fx.Vector(rocdl.raw_ptr_buffer_load(words, resource(address), at, none, aux=policy(aux)))


def put(address, index, value, aux):
    """Store a word, or a vector of words, at word ``index``."""
    at, none = as_ir_value(fx.Int32(index) * 4), as_ir_value(fx.Int32(0))
    rocdl.raw_ptr_buffer_store(as_ir_value(value), resource(address), at, none, aux=policy(aux))


def launcher(kernel, grid, block):
    """A launcher of a kernel with four addresses and a rank."""

    @flyc.jit
    def launch(a: Int64, b: Int64, c: Int64, d: Int64, rank: Int32, stream: fx.Stream = _STREAM):
        kernel(a, b, c, d, rank).launch(grid=(grid, 1, 1), block=(block, 1, 1), stream=stream)

    return located(launch, 0, 0, 0, 0, 0)


def fence(ordering):
    """An agent-scope fence: ``acquire`` or ``release``."""
    number = {"acquire": 4, "release": 5}[ordering]
    kind = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
    llvm.fence(kind, syncscope="agent")


def flag_handoff(
    *,
    store=DEVICE,
    drain=True,
    flag=DEVICE,
    poll=DEVICE,
    load=DEVICE,
    wait=True,
    ranks=False,
    reader=1,
    fences=False,
    peek=False,
):
    """Block 0 writes 512 words, then a flag; block ``reader`` waits and copies them to ``out``.

    ``ranks``: rank 0 writes and rank 1 reads instead, one block each. ``fences``: an agent-scope
    release before the flag, an acquire after the wait. ``peek``: the reader has read the words before.
    """
    key = (store, drain, flag, poll, load, wait, ranks, reader, fences, peek)

    @flyc.kernel(known_block_size=[512, 1, 1])
    def handoff(data: Int64, flags: Int64, out: Int64, unused: Int64, rank: Int32):
        _ = key
        tid = fx.thread_idx.x
        who = rank if const_expr(ranks) else fx.Int32(fx.block_idx.x)
        if who == 0:
            put(data, tid, tid + 1, store)
            if const_expr(drain):
                rocdl.s_waitcnt(vmcnt=0)
            if const_expr(fences):
                fence("release")
            gpu.barrier()
            if tid == 0:
                put(flags, 0, fx.Int32(1), flag)
        if who == reader:
            if const_expr(peek):
                put(out, tid, get(data, tid, PLAIN), PLAIN)
            if const_expr(wait):
                seen = get(flags, 0, poll)
                while seen < 1:
                    rocdl.s_sleep(1)
                    seen = get(flags, 0, poll)
            if const_expr(fences):
                fence("acquire")
            gpu.barrier()
            put(out, tid, get(data, tid, load), PLAIN)

    return launcher(handoff, 1 if ranks else 2, 512)


def mailbox_handoff(*, scope=DEVICE, ranks=False, split=False):
    """As ``flag_handoff``, with a tag beside every value in one 64-bit store: no drain is needed.

    ``split``: the reader loads tag and value apart, so that the value may be older than the tag.
    """
    key = (scope, ranks, split)

    @flyc.kernel(known_block_size=[512, 1, 1])
    def mailbox(pairs: Int64, unused: Int64, out: Int64, unused2: Int64, rank: Int32):
        _ = key
        tid = fx.thread_idx.x
        who = rank if const_expr(ranks) else fx.Int32(fx.block_idx.x)
        if who == 0:
            put(
                pairs,
                tid * 2,
                fx.Vector.from_elements([fx.Int32(tid) + 1, fx.Int32(77)], fx.Int32),
                scope,
            )
        if who == 1:
            pair = get_pair(pairs, tid, scope)
            while pair[1] != 77:
                rocdl.s_sleep(1)
                pair = get_pair(pairs, tid, scope)
            value = pair[0]
            if const_expr(split):
                value = get(pairs, tid * 2, scope)
            put(out, tid, value, PLAIN)

    return launcher(mailbox, 1 if ranks else 2, 512)


def reused_slot(*, acknowledged):
    """Rank 0 hands two rounds of data over through one slot of peer memory; rank 1 sums them."""

    @flyc.kernel(known_block_size=[64, 1, 1])
    def slots(data: Int64, flags: Int64, out: Int64, unused: Int64, rank: Int32):
        _ = acknowledged
        tid = fx.thread_idx.x
        if rank == 0:
            put(data, tid, tid + 1, SYSTEM)
            rocdl.s_waitcnt(vmcnt=0)
            if tid == 0:
                put(flags, 0, fx.Int32(1), SYSTEM)
            if const_expr(acknowledged):
                seen = get(flags, 64, SYSTEM)
                while seen < 1:
                    rocdl.s_sleep(1)
                    seen = get(flags, 64, SYSTEM)
            if const_expr(not acknowledged):
                rocdl.s_sleep(1)
                rocdl.s_sleep(1)
            put(data, tid, tid + 101, SYSTEM)
            rocdl.s_waitcnt(vmcnt=0)
            if tid == 0:
                put(flags, 0, fx.Int32(2), SYSTEM)
        if rank == 1:
            first = get(flags, 0, SYSTEM)
            while first < 1:
                rocdl.s_sleep(1)
                first = get(flags, 0, SYSTEM)
            a = get(data, tid, SYSTEM)
            if tid == 0:
                put(flags, 64, fx.Int32(1), SYSTEM)
            second = get(flags, 0, SYSTEM)
            while second < 2:
                rocdl.s_sleep(1)
                second = get(flags, 0, SYSTEM)
            put(out, tid, a + get(data, tid, SYSTEM), PLAIN)

    return launcher(slots, 1, 64)


def lds_exchange(*, barrier):
    """Each wave reads what the next wave wrote to LDS."""

    @fx.struct
    class Shared:
        words: fx.Array[fx.Int32, 256, 16]

    @flyc.kernel(known_block_size=[256, 1, 1])
    def exchange(unused: Int64, unused2: Int64, out: Int64, unused3: Int64, rank: Int32):
        _ = barrier
        tid = fx.thread_idx.x
        shared = fx.SharedAllocator().allocate(Shared).peek()
        fx.ptr_store(fx.Int32(0), shared.words.ptr + tid)
        gpu.barrier()
        fx.ptr_store(fx.Int32(tid) * 3, shared.words.ptr + tid)
        if const_expr(barrier):
            gpu.barrier()
        put(out, tid, fx.ptr_load(shared.words.ptr + (tid + 64) % 256), PLAIN)

    return launcher(exchange, 1, 256)


def lds_marks(*, alike):
    """Every wave stores to the same LDS words: the same value, or its own index."""

    @fx.struct
    class Shared:
        words: fx.Array[fx.Int32, 64, 16]

    @flyc.kernel(known_block_size=[256, 1, 1])
    def marks(unused: Int64, unused2: Int64, out: Int64, unused3: Int64, rank: Int32):
        _ = alike
        tid = fx.thread_idx.x
        lane, wave = tid % 64, tid // 64
        shared = fx.SharedAllocator().allocate(Shared).peek()
        fx.ptr_store(fx.Int32(1) if const_expr(alike) else fx.Int32(wave), shared.words.ptr + lane)
        gpu.barrier()
        put(out, tid, fx.ptr_load(shared.words.ptr + lane), PLAIN)

    return launcher(marks, 1, 256)


def waits_for_ever(*, gives_up, ticks=1_000_000_000):
    """Block 1 waits for a flag block 0 sets; with ``gives_up`` for so many clock ticks at most."""
    key = (gives_up, ticks)

    @flyc.kernel(known_block_size=[64, 1, 1])
    def patient(flags: Int64, health: Int64, unused: Int64, unused2: Int64, rank: Int32):
        _ = key
        tid = fx.thread_idx.x
        bid = fx.block_idx.x
        if bid == 0:
            put(flags, 0, fx.Int32(1), DEVICE)
        if bid == 1:
            start = clock()
            seen = get(flags, 0, DEVICE)
            late = fx.Int32(0)
            while (seen == 0) & (late == 0):
                rocdl.s_sleep(1)
                seen = get(flags, 0, DEVICE)
                if const_expr(gives_up):
                    late = (clock() - start > ticks).select(fx.Int32(1), fx.Int32(0))
            if tid == 0:
                put(health, 0, late + 1, SYSTEM)

    return launcher(patient, 2, 64)


def clock():
    """The 100 MHz clock."""
    return fx.Int64(llvm.call_intrinsic(T.i64, "llvm.amdgcn.s.memrealtime", [], [], []))


# ------------------------------------------------------------------ FlyDSL's usual examples


def vector_add(x, y, out):
    """IR of out = x + y through 128-bit tiled copies, edges predicated."""

    @flyc.kernel
    def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, copies: fx.TiledCopy):
        rows, columns = a.shape.unpack()
        tile = copies.tile_mn
        where = (fx.block_idx.x, fx.block_idx.y)
        grid = fx.make_view((0, 0), fx.make_identity_layout((rows, columns)))
        ga, gb, gc, gi = (
            fx.flat_divide(t, tile)[None, None, where[0], where[1]] for t in (a, b, c, grid)
        )
        mine = copies.get_slice(fx.thread_idx.x)
        sa, sb, sc = mine.partition_S(ga), mine.partition_S(gb), mine.partition_D(gc)
        si = mine.partition_S(gi)[(0, None), None, None]
        ra, rb, rc = (fx.make_fragment_like(t) for t in (sa, sb, sc))
        inside = fx.make_fragment_like(si, dtype=fx.Boolean)
        for i in range_constexpr(fx.size(inside.shape).unpack()):
            inside[i] = fx.elem_less(si[i], (rows, columns))
        atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
        fx.copy(atom, sa, ra, pred=inside)
        fx.copy(atom, sb, rb, pred=inside)
        rc.store(ra.load() + rb.load())
        fx.copy(atom, rc, sc, pred=inside)

    @flyc.jit
    def launch(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream = _STREAM):
        atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
        threads = fx.make_ordered_layout((8, 16), order=(1, 0))
        copies = fx.make_tiled_copy_tv(atom, threads, fx.make_ordered_layout((1, 4), order=(0, 1)))
        add(a, b, c, copies).launch(grid=(13, 16, 1), block=(128, 1, 1), stream=stream)

    return located(launch, x, y, out)


def tiled_copy(x, out):
    """IR of a copy of a [64, 64] tile through registers, 128 bits a thread."""

    @flyc.kernel
    def copy(a: fx.Tensor, b: fx.Tensor, copies: fx.TiledCopy):
        tile = copies.tile_mn
        ga, gb = (
            fx.flat_divide(t, tile)[None, None, fx.block_idx.x, fx.block_idx.y] for t in (a, b)
        )
        mine = copies.get_slice(fx.thread_idx.x)
        source, target = mine.partition_S(ga), mine.partition_D(gb)
        kept = fx.make_fragment_like(source)
        atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
        fx.copy(atom, source, kept)
        fx.copy(atom, kept, target)

    @flyc.jit
    def launch(a: fx.Tensor, b: fx.Tensor, stream: fx.Stream = _STREAM):
        atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
        threads = fx.make_ordered_layout((8, 16), order=(1, 0))
        copies = fx.make_tiled_copy_tv(atom, threads, fx.make_ordered_layout((1, 4), order=(0, 1)))
        copy(a, b, copies).launch(grid=(8, 1, 1), block=(128, 1, 1), stream=stream)

    return located(launch, x, out)


def tiled_mma(a, b, c):
    """IR of c = a bᵀ for [64, 8] fp32 operands through a tiled MMA of 16x16x4 atoms."""
    size, depth = 64, 8

    @flyc.kernel
    def multiply(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
        tid, bid = fx.thread_idx.x, fx.block_idx.x
        x, y, z = (rocdl.make_buffer_tensor(t) for t in (x, y, z))
        tx = fx.slice(fx.zipped_divide(x, (size, depth)), (None, bid))
        ty = fx.slice(fx.zipped_divide(y, (size, depth)), (None, bid))
        tz = fx.slice(fx.zipped_divide(z, (size, size)), (None, bid))
        atom = fx.make_mma_atom(rocdl.MFMA(16, 16, 4, fx.Float32))
        tiled = fx.make_tiled_mma(atom, fx.make_layout((2, 2, 1), (1, 2, 0)))
        mine = tiled.thr_slice(tid)
        move = fx.make_copy_atom(rocdl.BufferCopy32b(), fx.Float32)
        makers = (fx.make_tiled_copy_A, fx.make_tiled_copy_B, fx.make_tiled_copy_C)
        ca, cb, cc = (make(move, tiled).get_slice(tid) for make in makers)
        fa, fb, fc = mine.make_fragment_A(tx), mine.make_fragment_B(ty), mine.make_fragment_C(tz)
        fx.copy(move, ca.partition_S(tx), ca.retile(fa), pred=None)
        fx.copy(move, cb.partition_S(ty), cb.retile(fb), pred=None)
        fc.fill(0)
        fx.gemm(atom, fc, fa, fb, fc)
        fx.copy(move, cc.retile(fc), cc.partition_S(tz), pred=None)

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, stream: fx.Stream = _STREAM):
        multiply(x, y, z).launch(grid=(1, 1, 1), block=(256, 1, 1), stream=stream)

    return located(launch, a, b, c)


def gather_scatter():
    """IR of out[to[i]] = x[from[i]]."""

    @flyc.kernel(known_block_size=[256, 1, 1])
    def move(x: Int64, source: Int64, target: Int64, out: Int64, rank: Int32):
        i = fx.block_idx.x * 256 + fx.thread_idx.x
        put(out, get(target, i, PLAIN), get(x, get(source, i, PLAIN), NONTEMPORAL), PLAIN)

    return launcher(move, 4, 256)


def wave_collectives():
    """IR of, per wave: sum by butterfly, maximum, first lane, count of odd values."""

    @flyc.kernel(known_block_size=[256, 1, 1])
    def collect(x: Int64, out: Int64, unused: Int64, unused2: Int64, rank: Int32):
        tid = fx.thread_idx.x
        value = get(x, tid, PLAIN)
        total, top = value, value
        for step in range_constexpr(6):
            total = total + fx.gpu.shuffle_xor(total, 1 << step, 64)
            top = fx.max(top, fx.gpu.shuffle_xor(top, 1 << step, 64))
        first = fx.Int32(rocdl.readfirstlane(T.i32, as_ir_value(value)))
        odd = fx.Int64(rocdl.ballot(T.i64, as_ir_value((value & 1) == 1)))
        words = [total, top, first, fx.Int32(fx.ctpop(odd))]
        put(out, tid * 4, fx.Vector.from_elements(words, fx.Int32), PLAIN)

    return launcher(collect, 1, 256)
