import flydsl.expr as fx
import pytest
import torch
from flydsl.expr import range_constexpr
from kk3fast_flydsl_run import run, words

from kk3fast.flydsl import geometry
from kk3fast.flydsl.device import mailbox, memory, rank_sum
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.layout import lay_out_peer, total_bytes
from kk3ref import moe
from kk3ref.precision import CONTRACT

COLUMNS = 64
EPOCH, SLOT = 3, 200


def all_reduce(ranks, parity):
    """Workgroup ``r`` pushes rank r's row, workgroup 0 then sums them: 16 runs of 4 columns."""
    layout = lay_out_peer({"other": 5, "rows": ranks * COLUMNS // 2})
    half = total_bytes(layout)

    @traced
    def stage(buffer, rows, out, epoch, health, alarm, slot):
        tid = fx.Int32(fx.thread_idx.x)
        mail = mailbox.open_mail(epoch, slot, health, alarm)
        box = mailbox.peer_box(buffer, layout["rows"], half, fx.Int32(parity))
        mine = fx.Int32(fx.block_idx.x) * (COLUMNS // 2)
        if tid < COLUMNS // 2:
            mailbox.put(mail, box, mine + tid, memory.load(rows, mine + tid))
        if (fx.block_idx.x == 0) & (tid < 8):
            starts = [tid * 2, tid * 2 + 16]
            words = rank_sum.receive(mail, box, ranks, COLUMNS // 2, starts, 2 * ranks)
            for i in range_constexpr(2):
                pair = fx.Vector.from_elements(words[2 * i : 2 * i + 2], fx.Int32)
                memory.store(out, starts[i], pair)

    return stage, half


@pytest.mark.parametrize(("ranks", "parity"), [(1, 0), (3, 1), (8, 0)])
def test_the_sum_is_in_rank_order_to_the_bit(ranks, parity):
    g = torch.Generator().manual_seed(ranks)
    rows = (
        torch.randn(ranks, COLUMNS, generator=g) * 2.0 ** torch.arange(ranks)[:, None]
    ).bfloat16()
    rows[:, :8] = rows[:, 8:16] * torch.tensor([1.0, -1.0])[torch.arange(ranks) % 2][:, None]
    rows[:, 9] = -0.0
    stage, half = all_reduce(ranks, parity)
    out = torch.zeros(COLUMNS, dtype=torch.bfloat16)
    buffer, health = words(half // 2), words(geometry.health_words(8))
    epoch = torch.tensor([EPOCH, 0]).int()
    run(stage, buffer, rows, out, epoch, health, words(4), workgroups=ranks, number=SLOT)
    expected = moe.all_reduce(CONTRACT, list(rows), "sum")
    assert torch.equal(out.view(torch.int16), expected.view(torch.int16))
    assert not buffer[: half // 4].any() if parity else not buffer[half // 4 :].any()
