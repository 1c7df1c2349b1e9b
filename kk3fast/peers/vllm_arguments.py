"""What vLLM's two kernels take: every argument's meaning, dtype and shape on one rank (TP8).

The names and their order come from the peer's own ABI; ``vllm.arguments`` joins the two and fails
where they disagree.
"""

from __future__ import annotations

from kk3fast.abi import Access, Argument, ArgumentTable
from kk3fast.peers.vllm_builds import MAX_BLOCKS, VllmBuild

HIDDEN, LATENT, EXPERTS, TP = 7168, 3584, 896, 8
HEADS, HEAD_DIM = 12, 128  # of one rank
PROJ = HEADS * HEAD_DIM
QKV = 3 * PROJ
IN_ROWS = 6288  # q | k | v | output gate | f_a | beta, padded
ROUTED, SHARED = 384, 768  # intermediate sizes of one rank


def described(build: VllmBuild, scratch_bytes: int, health_words: int) -> dict[str, Argument]:
    """The arguments of ``build`` by name."""
    rows = (build.rows, HIDDEN)
    table = ArgumentTable()
    table.tensor("prefix", rows, "read-write", "running AttnRes sum")
    writes = build.write_index >= 0
    access: Access = "read-write" if writes else "read"
    table.tensor("blocks", (build.rows, MAX_BLOCKS, HIDDEN), access, "AttnRes blocks")
    table.scalar("blk_sm", "row stride of blocks, elements")
    table.scalar("blk_sr", "block stride of blocks, elements")
    table.tensor("ares_nw", (HIDDEN,), "read", "AttnRes norm weight")
    table.tensor("ares_qk", (HIDDEN,), "read", "AttnRes query")
    table.tensor("in_nw", (HIDDEN,), "read", "RMSNorm weight after AttnRes")
    if build.kernel == "k1":
        _k1(table, build)
    else:
        _k2(table, build)
    table.tensor("scratch", (scratch_bytes,), "read-write", "hand-offs on this GPU", "uint8")
    table.tensor("epoch", (1,), "read", "step counter", "int32")
    table.scalar("layer", "launch slot, 0..255; tags are epoch * 256 + slot + 1")
    table.tensor("health", (health_words,), "read-write", "given-up waits", "int32")
    table.tensor("alarm", (1,), "write", "this rank's word on rank 0's peer buffer", "int32")
    return table.arguments


def _k1(table: ArgumentTable, build: VllmBuild) -> None:
    table.tensor("delta", (build.rows, HIDDEN), "read", "last layer's output, not yet added")
    table.tensor("w_in", (IN_ROWS, HIDDEN), "read", "input projection q|k|v|g|f_a|beta")
    table.tensor("w_fb", (PROJ, HEAD_DIM), "read", "second decay projection")
    table.tensor("conv_w", (QKV, 4), "read", "short convolution", "float32")
    table.tensor("conv_st", ("slots", QKV, build.state_len), "read-write", "conv state")
    table.scalar("cs_seq", "slot stride of conv_st, elements")
    table.scalar("cs_dim", "channel stride of conv_st, elements")
    table.scalar("cs_tok", "entry stride of conv_st, elements")
    table.tensor("a_log", (HEADS,), "read", "decay rate, log", "float32")
    table.tensor("dt_bias", (PROJ,), "read", "decay bias", "float32")
    table.tensor("on_w", (HEAD_DIM,), "read", "output norm weight")
    state = ("slots", HEADS, HEAD_DIM, HEAD_DIM)
    table.tensor("rstate", state, "read-write", "recurrent state [slot, head, v, k]", "float32")
    table.scalar("rs_seq", "slot stride of rstate, elements")
    slots = (build.requests, build.query_rows)
    table.tensor("st_idx", slots, "read", "state slot of each row", "int32")
    table.scalar("st_stride", "row stride of st_idx, elements")
    table.tensor("num_acc", (build.requests,), "read", "accepted tokens, 1..", "int32")
    table.tensor("core_out", (build.rows, PROJ), "write", "gated attention output")


def _k2(table: ArgumentTable, build: VllmBuild) -> None:
    table.tensor("core", (build.rows, PROJ), "read", "o_proj's input")
    table.tensor("w_o", (HIDDEN, PROJ), "read", "output projection")
    table.tensor("w_gate", (EXPERTS, HIDDEN), "read", "router")
    table.tensor("bias", (EXPERTS,), "read", "router score correction", "float32")
    table.tensor("w_ld", (LATENT, HIDDEN), "read", "latent down projection")
    table.tensor("w_sgu", (2 * SHARED, HIDDEN), "read", "shared experts gate | up")
    table.tensor("w_sd", (HIDDEN, SHARED), "read", "shared experts down")
    shape13 = (EXPERTS, 2 * ROUTED, LATENT // 2)
    table.tensor("w13", shape13, "read", "MXFP4 gate | up, (16, 16)-shuffled", "uint8")
    scales13 = (EXPERTS, 2 * ROUTED, LATENT // 32)
    table.tensor("w13s", scales13, "read", "E8M0 scales, shuffled", "uint8")
    shape2 = (EXPERTS, LATENT, ROUTED // 2)
    table.tensor("w2", shape2, "read", "MXFP4 down, (16, 16)-shuffled", "uint8")
    table.tensor("w2s", (EXPERTS, LATENT, 16), "read", "E8M0 scales, 12 padded to 16", "uint8")
    table.tensor("ln_w", (LATENT,), "read", "latent norm weight")
    table.tensor("w_up", (HIDDEN // TP, LATENT), "read", "this rank's rows of the up projection")
    table.tensor("out", (build.rows, HIDDEN), "write", "the layer's MoE output")
    table.tensor("peers", (TP,), "read", "every rank's peer buffer, past its head", "int64")
    table.scalar("rank", "this rank, 0..7")
