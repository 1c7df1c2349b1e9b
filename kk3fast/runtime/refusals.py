"""What the specialized decode refuses before weights are allocated: default deny, every reason.

The list is that of vLLM 0.33.0's specialized decode, re-stated.
"""

from __future__ import annotations

from collections.abc import Iterator

from kk3fast.runtime.deployment import K3_SHAPES, Deployment
from kk3fast.runtime.reason import Reason

TP = 8
MAX_ROWS = 8
COMPUTE_UNITS = 256
SEQUENCES = (1, 2, 4, 8)
M1_TOKENS, M1_SEQUENCES = (3, 7), (1, 2)
"""speculative tokens and requests that M1's attention is built for"""
MORIIO = ("MoRIIOConnector", None, "kv_consumer")


def unsupported(deployment: Deployment) -> list[Reason]:
    """Every reason why a deployment cannot run the specialized decode; empty if it can."""
    d = deployment
    return [
        *(Reason("unknown", f"the configuration does not say {name}") for name in d.unknown),
        *_parallelism(d),
        *_features(d),
        *_speculation(d),
        *_state(d),
        *_model(d),
        *_machine(d),
        *(m1_needs(d) if d.dcp == 1 else ()),
    ]


def notices(deployment: Deployment) -> list[str]:
    """What is served otherwise than one might think; not refused."""
    found = []
    if deployment.dcp != 1:
        needs = m1_needs(deployment)
        why = "; ".join(reason.sentence for reason in needs) or f"dcp is {deployment.dcp}"
        found.append(f"MLA layers run the stock attention before K2: {why}")
    if deployment.piecewise_graphs_only:
        found.append(
            "decode steps are captured as PIECEWISE graphs only: every step runs the stock layers"
        )
    return found


def m1_needs(d: Deployment) -> list[Reason]:
    """What M1 misses: refused at dcp 1, a notice otherwise."""
    checks = (
        (d.attention_backend == "ROCM_AITER_MLA", "backend", "ROCM_AITER_MLA", d.attention_backend),
        (
            d.kv_cache_dtype in ("fp8", "fp8_e4m3"),
            "kv_cache",
            "an fp8 E4M3 KV cache",
            d.kv_cache_dtype,
        ),
        (d.mxfp4_bmm, "bmm", "AITER's MXFP4 bmms", "none"),
        (
            d.speculative_tokens in M1_TOKENS and d.max_num_seqs in M1_SEQUENCES,
            "pair",
            f"{_or(M1_TOKENS)} speculative tokens with max_num_seqs {_or(M1_SEQUENCES)}",
            f"{d.speculative_tokens} with {d.max_num_seqs}",
        ),
    )
    return [
        Reason(f"m1.{name}", f"M1 at dcp 1 needs {expected}, got {got}")
        for good, name, expected, got in checks
        if not good
    ]


def _parallelism(d: Deployment) -> Iterator[Reason]:
    if d.tp != TP:
        yield Reason("tp", f"tensor parallel ranks must be {TP}, got {d.tp}")
    for name, code, ranks in (
        ("pipeline", "pp", d.pp),
        ("data", "dp", d.dp),
        ("prefill context", "pcp", d.pcp),
    ):
        if ranks != 1:
            yield Reason(code, f"{name} parallel ranks must be 1, got {ranks}")
    if d.dcp not in (1, TP):
        yield Reason("dcp", f"decode context parallel ranks must be 1 or {TP}, got {d.dcp}")
    if d.expert_parallel:
        yield Reason("ep", "expert parallelism must be off")
    if d.eplb:
        yield Reason("eplb", "expert load balancing must be off")


def _features(d: Deployment) -> Iterator[Reason]:
    for on, code, what in (
        (d.dbo, "dbo", "dual-batch overlap: a step's metadata must be one batch's"),
        (d.lora, "lora", "LoRA"),
        (d.routed_expert_capture, "capture", "routed-expert capture"),
        (d.sleep_mode, "sleep", "sleep mode: kernels read the weights where they were loaded"),
        (d.cpu_offload, "offload", "weights on the CPU"),
        (d.weight_updates, "updates", "weight updates"),
        (d.stock_torch_compile, "compile", "compilation mode STOCK_TORCH_COMPILE"),
    ):
        if on:
            yield Reason(code, f"must be off: {what}")
    kv = d.kv_transfer
    if kv is not None and (kv.connector, kv.module_path, kv.role) != MORIIO:
        origin = f" of {kv.module_path}" if kv.module_path else ""
        got = f"{kv.connector}{origin} as {kv.role}"
        yield Reason("kv_transfer", f"must be a built-in MoRIIO consumer or none, got {got}")
    if not d.aiter:
        yield Reason("aiter", "AITER must be on")
    if not d.aiter_moe:
        yield Reason("aiter_moe", "AITER's MoE must be on")
    if not d.v2_model_runner:
        yield Reason("runner", "the V2 model runner must be on: its state binds the KV caches")


def _speculation(d: Deployment) -> Iterator[Reason]:
    if d.speculative_tokens is None:
        yield Reason("speculation", "speculative decoding must be on")
    elif not 1 <= d.speculative_tokens <= MAX_ROWS - 1:
        got = d.speculative_tokens
        yield Reason("tokens", f"speculative tokens must be 1 to {MAX_ROWS - 1}, got {got}")
    elif d.max_num_seqs not in SEQUENCES or d.max_num_seqs * d.q > MAX_ROWS:
        told = f"max_num_seqs must be one of {SEQUENCES} with max_num_seqs·{d.q} ≤ {MAX_ROWS}"
        yield Reason("sequences", f"{told}, got {d.max_num_seqs}")
    if d.adaptive_verification:
        yield Reason("adaptive", "adaptive verification must be off")
    if d.dynamic_speculation:
        yield Reason("dynamic", "dynamic speculative decoding must be off")


def _state(d: Deployment) -> Iterator[Reason]:
    dtypes = (d.conv_state_dtype, d.recurrent_state_dtype)
    if dtypes != ("bfloat16", "float32"):
        told = "KDA states must be bfloat16 (conv) and float32 (recurrent)"
        yield Reason("state_dtypes", f"{told}, got {dtypes[0]} and {dtypes[1]}")
    if d.replay_ssm:
        yield Reason("replay_ssm", "ReplaySSM must be off")
    if d.recover_ssm:
        yield Reason("recover_ssm", "RecoverSSM must be off")


def _model(d: Deployment) -> Iterator[Reason]:
    if d.shapes != K3_SHAPES:
        told = "hidden size, experts, KDA heads, KDA head size, conv width"
        yield Reason("shapes", f"{told} must be {K3_SHAPES}, got {d.shapes}")
    if not d.attn_res:
        yield Reason("attn_res", "the model must have AttnRes")


def _machine(d: Deployment) -> Iterator[Reason]:
    if not d.rocm:
        yield Reason("platform", "the platform must be ROCm")
        return
    if d.architecture != "gfx950":
        yield Reason("gpu", f"the GPU must be gfx950 (MI355X), got {d.architecture}")
    if d.compute_units != COMPUTE_UNITS:
        told = f"the GPU must have {COMPUTE_UNITS} compute units, got {d.compute_units}"
        yield Reason("compute_units", f"{told}: in a partition not every workgroup is resident")


def _or(values: tuple[int, ...]) -> str:
    return " or ".join(map(str, values))
