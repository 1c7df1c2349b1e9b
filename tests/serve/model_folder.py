"""The rig's model: the tiny preset's checkpoint, a tokenizer, and what vLLM's CPU attention needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kk3ref.checkpoint import SyntheticWeights, write_checkpoint
from kk3ref.presets import preset

CONFIG = preset("tiny")
SEED = 11
PAD, BOS, EOS = 0, 1, 2
_CPU_HEAD = 64  # vLLM's CPU attention knows 32, 64, 80, …; a query head of `tiny` has 48 columns


def write_model(folder: Path) -> Path:
    """Write the checkpoint with its tokenizer to ``folder``, unless it is there."""
    if (folder / "tokenizer.json").exists():
        return folder
    write_checkpoint(SyntheticWeights(CONFIG, seed=SEED), folder, force=True)
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
