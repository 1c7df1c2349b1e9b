"""The model's configuration: fields, layer schedule and per-rank shapes.

Field names are those of the Hugging Face ``text_config`` of Kimi-K3; the fields of its
``linear_attn_config`` are flat here (``num_heads`` is ``kda_num_heads``, ``head_dim`` is
``kda_head_dim``). A configuration that exists is valid: ``K3Config`` raises one ``ConfigError``
that lists every field that is missing, wrong, or asks for something this library does not
implement.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

MXFP4_GROUP = 32  # elements that share a scale (OCP MX v1.0)
IN_PROJ_ALIGN = 16  # rows of the fused input projection are padded to a multiple of this

Attention = Literal["kda", "mla"]
Mlp = Literal["dense", "moe"]

# Fields with one implemented value each.
_ONLY: dict[str, Any] = {
    "moe_layer_freq": 1,
    "latent_moe_use_norm": True,
    "moe_router_activation_func": "sigmoid",
    "topk_method": "noaux_tc",
    "num_expert_group": 1,
    "topk_group": 1,
    "moe_renormalize": True,
    "hidden_act": "situ",
    "mla_use_nope": True,
    "mla_use_output_gate": True,
    "use_full_rank_gate": True,
}
_POSITIVE_INT = (
    "hidden_size",
    "vocab_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_experts",
    "num_experts_per_token",
    "num_shared_experts",
    "moe_intermediate_size",
    "routed_expert_hidden_size",
    "attn_res_block_size",
    "max_position_embeddings",
    "num_attention_heads",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
    "kda_num_heads",
    "kda_head_dim",
    "short_conv_kernel_size",
)
_POSITIVE_FLOAT = (
    "rms_norm_eps",
    "routed_scaling_factor",
    "activation_situ_beta",
    "activation_situ_linear_beta",
)
# Our name -> the published one inside ``linear_attn_config``.
_LINEAR_ATTN = {
    "kda_num_heads": "num_heads",
    "kda_head_dim": "head_dim",
    "short_conv_kernel_size": "short_conv_kernel_size",
    "gate_lower_bound": "gate_lower_bound",
    "use_full_rank_gate": "use_full_rank_gate",
    "full_attn_layers": "full_attn_layers",
    "kda_layers": "kda_layers",
}


class ConfigError(ValueError):
    """A configuration that cannot be used.

    Attributes:
        problems: every problem found, one sentence each.
    """

    def __init__(self, problems: list[str], where: str = "configuration"):
        self.problems = problems
        noun = "problem" if len(problems) == 1 else "problems"
        lines = "".join(f"\n  - {p}" for p in problems)
        super().__init__(f"{where}: {len(problems)} {noun}{lines}")


@dataclass(frozen=True)
class LayerInfo:
    """One layer's place in the schedule."""

    index: int
    """0-based layer index"""
    attention: Attention
    """``kda`` or ``mla``"""
    mlp: Mlp
    """``dense`` or ``moe``"""
    num_blocks: int
    """valid AttnRes blocks before the layer"""
    writes_block: bool
    """whether the layer's attention read also stores the prefix as a new block"""
    block_index: int | None
    """the block it writes, or None"""


@dataclass(frozen=True)
class RankShapes:
    """Local sizes of one tensor-parallel rank; all ranks are equal."""

    tp: int
    """ranks of the group"""
    kda_heads: int
    """KDA heads of the rank"""
    kda_channels: int
    """KDA heads times the head dimension: width of q, k, v, g and of ``core``"""
    in_proj_rows: int
    """rows q|k|v|g|f_a|beta of the fused input projection"""
    in_proj_rows_padded: int
    """the same with zero rows up to a multiple of 16"""
    conv_channels: int
    """channels q|k|v of the short convolution"""
    mla_heads: int
    """MLA heads of the rank"""
    mla_a_rows: int
    """rows q_c|kv_c|k_pe|gate of the fused MLA projection; only the gate is split"""
    mla_q_rows: int
    """MLA heads times (nope + pe): rows of the query's up projection"""
    mla_value_cols: int
    """MLA heads times the value dimension: width of the attention output and the gate"""
    router_rows: int
    """router rows the rank computes before the gather"""
    latent_rows: int
    """rows of the latent down projection the rank computes before the gather"""
    expert_intermediate: int
    """intermediate width of every routed expert"""
    shared_intermediate: int
    """intermediate width of the shared experts' one MLP"""
    dense_intermediate: int
    """intermediate width of a dense MLP"""
    up_rows: int
    """rows of the latent up projection: the hidden columns the rank owns"""


@dataclass(frozen=True)
class K3Config:
    """Configuration of a Kimi-K3 text model.

    Raises:
        ConfigError: lists every wrong field.
    """

    hidden_size: int
    vocab_size: int
    intermediate_size: int
    num_hidden_layers: int
    rms_norm_eps: float
    first_k_dense_replace: int
    moe_layer_freq: int
    num_experts: int
    num_experts_per_token: int
    num_shared_experts: int
    moe_intermediate_size: int
    routed_expert_hidden_size: int
    latent_moe_use_norm: bool
    moe_router_activation_func: str
    topk_method: str
    num_expert_group: int
    topk_group: int
    moe_renormalize: bool
    routed_scaling_factor: float
    hidden_act: str
    activation_situ_beta: float
    activation_situ_linear_beta: float
    attn_res_block_size: int
    max_position_embeddings: int
    num_attention_heads: int
    q_lora_rank: int
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    mla_use_nope: bool
    mla_use_output_gate: bool
    kda_num_heads: int
    kda_head_dim: int
    short_conv_kernel_size: int
    gate_lower_bound: float | None
    use_full_rank_gate: bool
    full_attn_layers: tuple[int, ...]
    """1-based, as published"""
    kda_layers: tuple[int, ...]
    """1-based, as published"""

    def __post_init__(self) -> None:
        problems = _problems({f.name: getattr(self, f.name) for f in dataclasses.fields(self)})
        if problems:
            raise ConfigError(problems)

    # -- reading and writing -----------------------------------------------------------------

    @classmethod
    def from_hf(cls, source: str | Path | Mapping[str, Any]) -> K3Config:
        """Read a Hugging Face configuration.

        Args:
            source: a ``config.json``, a directory that holds one, or its parsed content. The
                text model's fields may be nested in ``text_config`` or lie at the top; those of
                the linear attention may be nested in ``linear_attn_config`` or flat. Fields that
                this library does not know are ignored.

        Raises:
            ConfigError: lists every missing or wrong field with what was expected, or says why
                the file cannot be read.
        """
        raw, where = _read_json(source)
        text = _section(raw, "text_config", where)
        linear = _section(text, "linear_attn_config", where)
        values: dict[str, Any] = {}
        problems = []
        for field in dataclasses.fields(cls):
            published = _LINEAR_ATTN.get(field.name)
            if published is not None and linear is not text and published in linear:
                value = linear[published]
            elif field.name in text:
                value = text[field.name]
            else:
                name = f"linear_attn_config.{published}" if published else field.name
                problems.append(f"{name}: missing, must be {_expected(field.name)}")
                continue
            values[field.name] = tuple(value) if isinstance(value, list) else value
        if text.get("tie_word_embeddings"):
            problems.append("tie_word_embeddings: must be false, got true")
        problems += _problems(values)
        if problems:
            raise ConfigError(problems, where)
        return cls(**values)

    def to_hf(self, *, nested: bool = True) -> dict[str, Any]:
        """The configuration as Hugging Face publishes it; ``from_hf`` reads it back.

        Args:
            nested: whether the text model sits in ``text_config``, as in the multimodal model.
        """
        flat = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in dataclasses.asdict(self).items()
        }
        text: dict[str, Any] = {"model_type": "kimi_linear"}
        text |= {name: value for name, value in flat.items() if name not in _LINEAR_ATTN}
        text["linear_attn_config"] = {
            published: flat[name] for name, published in _LINEAR_ATTN.items()
        }
        text |= {"torch_dtype": "bfloat16", "tie_word_embeddings": False}
        if not nested:
            return {"architectures": ["KimiLinearForCausalLM"], **text}
        return {
            "architectures": ["KimiK3ForConditionalGeneration"],
            "model_type": "kimi_k3",
            "text_config": text,
            "torch_dtype": "bfloat16",
        }

    def digest(self) -> str:
        """SHA-256 (hex) of the fields as canonical JSON; equal configurations agree."""
        values = {
            name: float(value) if name in _FLOAT_FIELDS and value is not None else value
            for name, value in dataclasses.asdict(self).items()
        }
        canonical = json.dumps(values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    # -- schedule ----------------------------------------------------------------------------

    @cached_property
    def layers(self) -> tuple[LayerInfo, ...]:
        """Every layer in order."""
        full = set(self.full_attn_layers)
        size = self.attn_res_block_size
        return tuple(
            LayerInfo(
                index=i,
                attention="mla" if i + 1 in full else "kda",
                mlp="dense" if i < self.first_k_dense_replace else "moe",
                num_blocks=-(-i // size),
                writes_block=i % size == 0,
                block_index=i // size if i % size == 0 else None,
            )
            for i in range(self.num_hidden_layers)
        )

    def layer(self, index: int) -> LayerInfo:
        """The layer with the 0-based ``index``.

        Raises:
            IndexError: ``index`` is not in ``0 .. num_hidden_layers - 1``.
        """
        if not 0 <= index < self.num_hidden_layers:
            raise IndexError(f"layer must be in 0..{self.num_hidden_layers - 1}, got {index}")
        return self.layers[index]

    @property
    def num_blocks(self) -> int:
        """AttnRes blocks of the whole model: the size of the block bank."""
        return -(-self.num_hidden_layers // self.attn_res_block_size)

    # -- widths ------------------------------------------------------------------------------

    @property
    def qk_head_dim(self) -> int:
        """Width of an MLA query head: nope and pe."""
        return self.qk_nope_head_dim + self.qk_rope_head_dim

    @property
    def kv_cache_dim(self) -> int:
        """Width of a latent cache row: latent and pe."""
        return self.kv_lora_rank + self.qk_rope_head_dim

    @property
    def kda_channels(self) -> int:
        """KDA heads times the head dimension."""
        return self.kda_num_heads * self.kda_head_dim

    @property
    def shared_intermediate_size(self) -> int:
        """Intermediate width of the shared experts, which are one MLP."""
        return self.num_shared_experts * self.moe_intermediate_size

    # -- tensor parallelism ------------------------------------------------------------------

    def shard(self, tp: int) -> RankShapes:
        """Local sizes of a rank of a group of ``tp``.

        Raises:
            ConfigError: lists every dimension that ``tp`` does not divide, and an expert
                intermediate width that does not stay a multiple of the MXFP4 group.
        """
        if isinstance(tp, bool) or not isinstance(tp, int) or tp < 1:
            raise ConfigError([f"tp: must be a positive integer, got {tp!r}"], f"TP {tp}")
        split = {
            "kda_num_heads": self.kda_num_heads,
            "num_attention_heads": self.num_attention_heads,
            "num_experts": self.num_experts,
            "routed_expert_hidden_size": self.routed_expert_hidden_size,
            "moe_intermediate_size": self.moe_intermediate_size,
            "num_shared_experts·moe_intermediate_size": self.shared_intermediate_size,
            "hidden_size": self.hidden_size,
        }
        if self.first_k_dense_replace:
            split["intermediate_size"] = self.intermediate_size
        problems = [
            f"{n} {size} must be divisible by {tp}" for n, size in split.items() if size % tp
        ]
        if self.moe_intermediate_size % tp == 0 and self.moe_intermediate_size // tp % MXFP4_GROUP:
            problems.append(
                f"moe_intermediate_size {self.moe_intermediate_size} / {tp} must be a multiple of "
                f"the MXFP4 group {MXFP4_GROUP}, got {self.moe_intermediate_size // tp}"
            )
        if problems:
            raise ConfigError(problems, f"TP {tp}")
        heads = self.kda_num_heads // tp
        channels = heads * self.kda_head_dim
        rows = 4 * channels + self.kda_head_dim + heads
        mla_heads = self.num_attention_heads // tp
        value_cols = mla_heads * self.v_head_dim
        return RankShapes(
            tp=tp,
            kda_heads=heads,
            kda_channels=channels,
            in_proj_rows=rows,
            in_proj_rows_padded=-(-rows // IN_PROJ_ALIGN) * IN_PROJ_ALIGN,
            conv_channels=3 * channels,
            mla_heads=mla_heads,
            mla_a_rows=self.q_lora_rank + self.kv_cache_dim + value_cols,
            mla_q_rows=mla_heads * self.qk_head_dim,
            mla_value_cols=value_cols,
            router_rows=self.num_experts // tp,
            latent_rows=self.routed_expert_hidden_size // tp,
            expert_intermediate=self.moe_intermediate_size // tp,
            shared_intermediate=self.shared_intermediate_size // tp,
            dense_intermediate=self.intermediate_size // tp,
            up_rows=self.hidden_size // tp,
        )


_FLOAT_FIELDS = (*_POSITIVE_FLOAT, "gate_lower_bound")


def _read_json(source: str | Path | Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    if isinstance(source, Mapping):
        return source, "configuration"
    path = Path(source)
    if path.is_dir():
        path = path / "config.json"
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError([f"cannot read: {error.strerror or error}"], str(path)) from error
    except ValueError as error:
        raise ConfigError([f"not JSON: {error}"], str(path)) from error
    if not isinstance(raw, dict):
        kind = type(raw).__name__
        raise ConfigError([f"must be a JSON object, got {kind}"], str(path))
    return raw, str(path)


def _section(raw: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    """The nested section, or the outer one where it is flat."""
    section = raw.get(name)
    if section is None:
        return raw
    if not isinstance(section, Mapping):
        kind = type(section).__name__
        raise ConfigError([f"{name}: must be an object, got {kind}"], where)
    return section


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_float(value: object) -> bool:
    return _is_int(value) or (isinstance(value, float) and math.isfinite(value))


def _expected(name: str) -> str:
    if name in _ONLY:
        return f"{_ONLY[name]!r} (the only value implemented)"
    if name in _POSITIVE_INT:
        return "a positive integer"
    if name in _POSITIVE_FLOAT:
        return "a positive number"
    if name == "gate_lower_bound":
        return "a negative number or null"
    if name == "first_k_dense_replace":
        return "an integer in 0..num_hidden_layers"
    return "a list of 1-based layer numbers"


def _well_formed(name: str, value: Any) -> bool:
    if name in _ONLY:
        # True == 1 in Python, but a JSON true is no number.
        same_kind = isinstance(value, bool) == isinstance(_ONLY[name], bool)
        return same_kind and value == _ONLY[name]
    if name in _POSITIVE_INT:
        return _is_int(value) and value > 0
    if name in _POSITIVE_FLOAT:
        return _is_float(value) and value > 0
    if name == "gate_lower_bound":
        return value is None or (_is_float(value) and value < 0)
    if name == "first_k_dense_replace":
        return _is_int(value) and value >= 0
    return isinstance(value, tuple) and all(_is_int(v) and v > 0 for v in value)


def _problems(values: Mapping[str, Any]) -> list[str]:
    """Every problem of the fields that are there; relations only between well-formed ones."""
    good = {name: value for name, value in values.items() if _well_formed(name, value)}
    problems = [
        f"{name}: must be {_expected(name)}, got {value!r}"
        for name, value in values.items()
        if name not in good
    ]

    def have(*names: str) -> bool:
        return all(name in good for name in names)

    if have("num_experts", "num_experts_per_token") and (
        good["num_experts_per_token"] > good["num_experts"]
    ):
        problems.append(
            f"num_experts_per_token: must be at most num_experts {good['num_experts']}, "
            f"got {good['num_experts_per_token']}"
        )
    if have("first_k_dense_replace", "num_hidden_layers") and (
        good["first_k_dense_replace"] > good["num_hidden_layers"]
    ):
        problems.append(
            f"first_k_dense_replace: must be at most num_hidden_layers "
            f"{good['num_hidden_layers']}, got {good['first_k_dense_replace']}"
        )
    for name in ("routed_expert_hidden_size", "moe_intermediate_size"):
        if have(name) and good[name] % MXFP4_GROUP:
            problems.append(
                f"{name}: must be a multiple of the MXFP4 group {MXFP4_GROUP}, got {good[name]}"
            )
    if have("full_attn_layers", "kda_layers", "num_hidden_layers"):
        problems += _schedule_problems(
            good["full_attn_layers"], good["kda_layers"], good["num_hidden_layers"]
        )
    return problems


def _schedule_problems(full: tuple[int, ...], kda: tuple[int, ...], layers: int) -> list[str]:
    wanted = set(range(1, layers + 1))
    listed = [*full, *kda]
    found = {
        "layers in neither": sorted(wanted - set(listed)),
        "layers listed twice": sorted({i for i in listed if listed.count(i) > 1}),
        "layers that do not exist": sorted(set(listed) - wanted),
    }
    return [
        f"full_attn_layers and kda_layers: must hold each of 1..{layers} once, got {what} {which}"
        for what, which in found.items()
        if which
    ]
