"""Writing weights as a checkpoint in the published names and formats."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from kk3ref.checkpoint.names import FORMAT, PREFIX, all_specs
from kk3ref.checkpoint.read import CONFIG_FILE, INDEX_FILE, SINGLE_FILE
from kk3ref.checkpoint.source import Source
from kk3ref.config import MXFP4_GROUP, K3Config

_FILE_BYTES = 4 << 30  # a file's size where the number of files is not given
# Linear layers that stay bf16; the routed experts are the only others.
_NOT_QUANTIZED = (
    "re:.*self_attn\\..*",
    "re:.*\\.mlp\\.(gate|up|down)_proj$",
    "re:.*block_sparse_moe\\.gate$",
    "re:.*shared_experts\\..*",
    "re:.*routed_expert_(down|up)_proj$",
    "re:.*_res_proj$",
    "re:.*lm_head$",
)

Progress = Callable[[int, int], None]


class WriteError(OSError):
    """A checkpoint that was not written; nothing was changed."""


def quantization_config() -> dict[str, Any]:
    """The ``quantization_config`` that compressed-tensors reads."""
    weights = {
        "num_bits": 4,
        "type": "float",
        "strategy": "group",
        "group_size": MXFP4_GROUP,
        "scale_dtype": "torch.uint8",
        "symmetric": True,
        "dynamic": False,
    }
    return {
        "quant_method": "compressed-tensors",
        "format": FORMAT,
        "quantization_status": "compressed",
        "config_groups": {
            "group_0": {
                "targets": ["Linear"],
                "weights": weights,
                "input_activations": None,
                "output_activations": None,
            }
        },
        "ignore": list(_NOT_QUANTIZED),
    }


def hf_config(config: K3Config, *, prefix: bool) -> dict[str, Any]:
    """Content of ``config.json``: nested for a multimodal checkpoint, flat for a text model."""
    return {**config.to_hf(nested=prefix), "quantization_config": quantization_config()}


def plan_files(config: K3Config, files: int | None) -> list[list[str]]:
    """Tensor names of each file: in order, about equal in bytes.

    Args:
        config: the model.
        files: number of files, None for files of about 4 GiB.

    Raises:
        ValueError: more files than tensors, or none.
    """
    sizes = {name: spec.nbytes for name, spec in all_specs(config)}
    total = sum(sizes.values())
    files = -(-total // _FILE_BYTES) if files is None else files
    if not 1 <= files <= len(sizes):
        raise ValueError(f"number of files must be in 1..{len(sizes)}, got {files}")
    plan: list[list[str]] = [[]]
    written = 0
    for left, (name, size) in zip(range(len(sizes), 0, -1), sizes.items(), strict=True):
        # Start the next file at its share of the bytes, or when only one tensor a file is left.
        full = written * files >= total * len(plan) or left == files - len(plan)
        if plan[-1] and full and len(plan) < files:
            plan.append([])
        plan[-1].append(name)
        written += size
    return plan


def write_checkpoint(
    source: Source,
    path: str | Path,
    *,
    files: int | None = None,
    prefix: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write a source's weights as a checkpoint directory.

    Everything is written beside the directory and renamed at the end: the directory is never
    there by halves. One file at a time is held in memory.

    Args:
        source: weights to write.
        path: directory to make.
        files: number of safetensors files, None for files of about 4 GiB; one file has no index.
        prefix: put ``language_model.`` before the names and nest the configuration.
        force: replace an existing checkpoint directory.
        progress: called with bytes written and bytes in all after each file.

    Returns:
        the directory.

    Raises:
        WriteError: the directory exists and ``force`` is off, or it holds anything but a
            checkpoint, or there is not enough space.
        ValueError: more files than tensors.
    """
    path = Path(os.path.abspath(path))
    plan = plan_files(source.config, files)
    sizes = {name: spec.nbytes for name, spec in all_specs(source.config)}
    total = sum(sizes.values())
    _check_target(path, force)
    path.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(path.parent).free
    if free < total:
        raise WriteError(f"{path}: needs {total:,} bytes, {free:,} are free")
    temporary = path.parent / f".{path.name}.{os.getpid()}.writing"
    temporary.mkdir()
    try:
        content = json.dumps(hf_config(source.config, prefix=prefix), indent=2)
        (temporary / CONFIG_FILE).write_text(content + "\n", encoding="utf-8")
        _write_files(source, temporary, plan, sizes, PREFIX if prefix else "", progress)
        _move(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return path


def _check_target(path: Path, force: bool) -> None:
    if not path.exists() and not path.is_symlink():
        return
    if not path.is_dir() or path.is_symlink():
        raise WriteError(f"{path}: must be a directory")
    held = sorted(p.name for p in path.iterdir())
    if not held:
        return
    if not force:
        raise WriteError(f"{path}: exists and is not empty; --force replaces a checkpoint")
    foreign = [n for n in held if n not in (CONFIG_FILE, INDEX_FILE) and not _is_weights(n)]
    if foreign:
        raise WriteError(f"{path}: will not be replaced, it holds {', '.join(foreign[:5])}")


def _is_weights(name: str) -> bool:
    return name.endswith(".safetensors")


def _write_files(
    source: Source,
    directory: Path,
    plan: list[list[str]],
    sizes: dict[str, int],
    prefix: str,
    progress: Progress | None,
) -> None:
    total, written = sum(sizes.values()), 0
    weight_map: dict[str, str] = {}
    for i, names in enumerate(plan, 1):
        many = len(plan) > 1
        file = f"model-{i:05d}-of-{len(plan):05d}.safetensors" if many else SINGLE_FILE
        tensors = {prefix + name: source.read(name) for name in names}
        save_file(tensors, directory / file, metadata={"format": "pt"})
        # save_file makes it readable to the owner only; give it the mode of an ordinary file.
        shutil.copymode(directory / CONFIG_FILE, directory / file)
        weight_map |= dict.fromkeys(tensors, file)
        written += sum(sizes[name] for name in names)
        if progress:
            progress(written, total)
    if len(plan) > 1:
        index = {"metadata": {"total_size": total}, "weight_map": weight_map}
        content = json.dumps(index, indent=2)
        (directory / INDEX_FILE).write_text(content + "\n", encoding="utf-8")


def _move(temporary: Path, path: Path) -> None:
    """Put the finished directory in place; what was there goes only once it is."""
    old = path.parent / f".{path.name}.{os.getpid()}.old"
    if path.exists():
        path.rename(old)
    try:
        temporary.rename(path)
    except OSError:
        if old.exists():
            old.rename(path)
        raise
    if old.exists():
        shutil.rmtree(old)
