"""The rig's model: the tiny preset's checkpoint, a tokenizer, and what vLLM's CPU needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from kk3ref.checkpoint import SyntheticWeights, write_checkpoint
from kk3ref.presets import preset

CONFIG = preset("tiny")
SEED = 11
EMBEDDING, HEAD = "model.embed_tokens.weight", "lm_head.weight"
EMBEDDING_SCALE = 8  # a power of two: bf16 stays exact
LEANING, CYCLE = 0.06, 4
PAD, BOS, EOS = 0, 1, 2
_CPU_HEAD = 64  # vLLM's CPU attention knows 32, 64, 80, …; a query head of `tiny` has 48 columns


class LoopingWeights(SyntheticWeights):
    """Synthetic weights of a model that repeats itself, and still depends on every layer.

    Random weights write random text, in which n-gram drafts are rare and never right. Here the
    head leans towards one successor of the last token, in small cycles: drafts are found and often
    accepted, and where the layers say otherwise loudly enough, the text leaves the cycle.
    """

    def read(
        self, name: str, axis: int | None = None, start: int = 0, stop: int | None = None
    ) -> Tensor:
        """As the base class."""
        if name == EMBEDDING:
            return super().read(name, axis, start, stop) * EMBEDDING_SCALE
        if name != HEAD:
            return super().read(name, axis, start, stop)
        embedding = super().read(EMBEDDING).float()
        head = super().read(HEAD).float() + LEANING * embedding[predecessors(len(embedding))]
        head = head.to(torch.bfloat16)
        if axis is None:
            return head
        stop = head.shape[axis] if stop is None else stop
        return head.narrow(axis, start, stop - start).contiguous()


def predecessors(vocabulary: int) -> Tensor:
    """Of each token, the one before it in its cycle of :data:`CYCLE`."""
    tokens = torch.arange(vocabulary)
    first = tokens - tokens % CYCLE
    return first + (tokens - 1) % CYCLE


def write_model(folder: Path) -> Path:
    """Write the checkpoint with its tokenizer to ``folder``, unless it is there."""
    if (folder / "tokenizer.json").exists():
        return folder
    write_checkpoint(LoopingWeights(CONFIG, seed=SEED), folder, force=True)
    path = folder / "config.json"
    published: dict[str, Any] = json.loads(path.read_text())
    # The rig's model reads the packed experts itself: vLLM's loader for them needs a GPU.
    published.pop("quantization_config")
    published |= {
        "head_dim": _CPU_HEAD,  # pages of the attention cache are sized by it
        "num_key_value_heads": CONFIG.num_attention_heads,
        "bos_token_id": BOS,
        "eos_token_id": EOS,
        "pad_token_id": PAD,
    }
    path.write_text(json.dumps(published, indent=1))
    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 4096, **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer(CONFIG.vocab_size)))
    return folder


def tokenizer(vocabulary: int) -> dict[str, Any]:
    """``tokenizer.json`` of a byte tokenizer: three special tokens, 256 bytes, and unused ones."""
    names = ["<pad>", "<s>", "</s>", *byte_characters()]
    names += [f"[{i}]" for i in range(len(names), vocabulary)]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": i,
                "content": names[i],
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for i in (PAD, BOS, EOS)
        ],
        "normalizer": None,
        "pre_tokenizer": {**byte_level, "use_regex": True},
        "post_processor": None,
        "decoder": {**byte_level, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": {name: i for i, name in enumerate(names)},
            "merges": [],
        },
    }


def byte_characters() -> list[str]:
    """The printable character that byte-level tokenizers write for each byte."""
    shown = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = [b for b in range(256) if b not in shown]
    return [chr(b) if b in shown else chr(256 + hidden.index(b)) for b in range(256)]
