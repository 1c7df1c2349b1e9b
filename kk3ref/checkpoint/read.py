"""Reading a published checkpoint: everything verified from the headers, tensors read lazily.

``Checkpoint.open`` compares the configuration, the index and every file's safetensors header with
what the model must have. It loads no tensor, and either everything is there or one
``CheckpointError`` names all that is wrong.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from kk3ref.checkpoint.names import FORMAT, PREFIX, Spec, all_specs
from kk3ref.checkpoint.source import Source
from kk3ref.config import MXFP4_GROUP, ConfigError, K3Config

CONFIG_FILE = "config.json"
INDEX_FILE = "model.safetensors.index.json"
SINGLE_FILE = "model.safetensors"

_SHOWN = 12  # problems that the message of an error spells out
_DTYPES = {
    "BF16": torch.bfloat16,
    "F16": torch.float16,
    "F32": torch.float32,
    "F64": torch.float64,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E8M0": torch.float8_e8m0fnu,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I32": torch.int32,
    "I64": torch.int64,
    "BOOL": torch.bool,
}


class CheckpointError(ValueError):
    """A checkpoint that cannot be used.

    Attributes:
        problems: every problem found, one sentence each; the message shows the first of them.
    """

    def __init__(self, where: str, problems: list[str]):
        self.problems = problems
        noun = "problem" if len(problems) == 1 else "problems"
        lines = [f"\n  - {p}" for p in problems[:_SHOWN]]
        if len(problems) > _SHOWN:
            more = len(problems) - _SHOWN
            lines.append(
                f"\n  … and {more} more: python -m kk3ref.checkpoint inspect {where} --json"
            )
        super().__init__(f"checkpoint {where}: {len(problems)} {noun}{''.join(lines)}")


@dataclass(frozen=True)
class Stored:
    """Where a tensor lies, from its file's header."""

    file: str
    """file name"""
    dtype: str
    """safetensors' name of the dtype"""
    shape: tuple[int, ...]
    start: int
    """first byte, counted from the end of the header"""
    stop: int
    """end byte"""


class Checkpoint(Source):
    """A verified checkpoint in a directory; make one with :meth:`open`.

    Attributes:
        path: the directory.
        prefix: what precedes the published names, ``language_model.`` or nothing.
        stored: where each of the text model's tensors lies, by its name without prefix.
        ignored: names of a multimodal checkpoint that are not the text model's.
    """

    def __init__(
        self,
        path: Path,
        config: K3Config,
        prefix: str,
        stored: Mapping[str, Stored],
        ignored: tuple[str, ...],
    ):
        super().__init__(config, f"checkpoint:{_layout_digest(config, stored)}")
        self.path = path
        self.prefix = prefix
        self.stored = stored
        self.ignored = ignored
        self._files: dict[str, Any] = {}

    @classmethod
    def open(cls, path: str | Path) -> Checkpoint:
        """Verify a checkpoint directory without loading a tensor.

        Checked: ``config.json`` and its ``quantization_config``; the index against the files'
        headers; presence, dtype and shape of every tensor the configuration asks for; tensors it
        does not ask for; truncated and inconsistent files.

        Raises:
            CheckpointError: lists every problem.
        """
        path = Path(path)
        if not path.is_dir():
            raise CheckpointError(str(path), ["there is no such directory"])
        problems: list[str] = []
        config = _read_config(path, problems)
        found, broken = _read_files(path, problems)
        if config is None:
            raise CheckpointError(str(path), problems)
        prefix = PREFIX if any(name.startswith(PREFIX) for name in (*found, *broken)) else ""
        ours, ignored = _split_names(found, prefix)
        problems += _compare(config, ours, prefix, broken)
        if problems:
            raise CheckpointError(str(path), problems)
        return cls(path, config, prefix, ours, tuple(ignored))

    @property
    def files(self) -> dict[str, int]:
        """Bytes of each safetensors file that holds a tensor of the text model."""
        names = sorted({s.file for s in self.stored.values()})
        return {name: (self.path / name).stat().st_size for name in names}

    def read(
        self, name: str, axis: int | None = None, start: int = 0, stop: int | None = None
    ) -> Tensor:
        """See :meth:`kk3ref.checkpoint.source.Source.read`."""
        stored = self.stored[name]
        shape = stored.shape
        if name.endswith("A_log"):
            shape = (self.config.kda_num_heads,)  # the rest is padding of the storage
        ranges = [slice(0, size) for size in shape]
        if axis is not None:
            stop = shape[axis] if stop is None else stop
            if not 0 <= start < stop <= shape[axis]:
                raise IndexError(f"{name}: {start}:{stop} must lie inside axis {axis} of {shape}")
            ranges[axis] = slice(start, stop)
        if stored.file not in self._files:
            self._files[stored.file] = safe_open(self.path / stored.file, "pt")
        part = self._files[stored.file].get_slice(self.prefix + name)
        tensor: Tensor = part[tuple(ranges)]
        return tensor.contiguous()


def _layout_digest(config: K3Config, stored: Mapping[str, Stored]) -> str:
    """Short digest of the configuration and the tensors' layout; it does not cover values."""
    digest = hashlib.sha256(config.digest().encode())
    for name in sorted(stored):
        s = stored[name]
        digest.update(f"{name} {s.file} {s.dtype} {s.shape} {s.start}\n".encode())
    return digest.hexdigest()[:16]


# -- configuration -----------------------------------------------------------------------------


def _read_config(path: Path, problems: list[str]) -> K3Config | None:
    try:
        config = K3Config.from_hf(path)
    except ConfigError as error:
        problems += [f"{CONFIG_FILE}: {p}" for p in error.problems]
        return None
    raw = json.loads((path / CONFIG_FILE).read_text(encoding="utf-8"))
    quantization = raw.get("quantization_config")
    if quantization is None and isinstance(raw.get("text_config"), dict):
        quantization = raw["text_config"].get("quantization_config")
    problem = _quantization_problem(quantization)
    if problem:
        problems.append(f"{CONFIG_FILE}: quantization_config: {problem}")
    return config


def _quantization_problem(config: object) -> str | None:
    expected = f"must be compressed-tensors' {FORMAT} with groups of {MXFP4_GROUP}"
    if not isinstance(config, dict):
        return f"{expected}, got {'nothing' if config is None else type(config).__name__}"
    method = config.get("quant_method", "compressed-tensors")
    groups = config.get("config_groups")
    if method != "compressed-tensors" or not isinstance(groups, dict):
        return f"{expected}, got method {method!r} with groups {groups!r}"
    for group in groups.values():
        weights = group.get("weights") if isinstance(group, dict) else None
        if not isinstance(weights, dict):
            continue
        form = group.get("format") or config.get("format")
        seen = (form, weights.get("num_bits"), weights.get("type"), weights.get("group_size"))
        if seen == (FORMAT, 4, "float", MXFP4_GROUP):
            return None
    return f"{expected}, got format {config.get('format')!r} with groups {groups!r}"


# -- files -------------------------------------------------------------------------------------


def _read_files(path: Path, problems: list[str]) -> tuple[dict[str, Stored], dict[str, str]]:
    """Every stored tensor by its full name, and those that a broken file hides, with the file."""
    index = path / INDEX_FILE
    weight_map: dict[str, str] | None = None
    total: object = None
    if index.exists():
        weight_map, total = _read_index(index, problems)
        if weight_map is None:
            return {}, {}
        files = sorted(set(weight_map.values()))
    else:
        files = sorted(p.name for p in path.glob("*.safetensors"))
        if len(files) != 1:
            problems.append(
                f"must hold {SINGLE_FILE} or {INDEX_FILE}, got {len(files)} files without index"
            )
            return {}, {}
    found: dict[str, Stored] = {}
    broken: dict[str, str] = {}
    for file in files:
        tensors, faults, readable = read_header(path / file)
        problems += [f"{file}: {fault}" for fault in faults]
        if weight_map is not None and not readable:
            broken |= {name: file for name, holder in weight_map.items() if holder == file}
        for name, stored in tensors.items():
            if name in found:
                problems.append(f"{name}: must be in one file, got {found[name].file} and {file}")
            found[name] = stored
    if weight_map is not None:
        problems += _index_problems(weight_map, total, found, broken)
        stray = sorted({p.name for p in path.glob("*.safetensors")} - set(files))
        problems += [f"{file}: not in {INDEX_FILE}" for file in stray]
    return found, broken


def _read_index(index: Path, problems: list[str]) -> tuple[dict[str, str] | None, object]:
    try:
        raw = json.loads(index.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problems.append(f"{index.name}: cannot be read: {error}")
        return None, None
    weight_map = raw.get("weight_map") if isinstance(raw, dict) else None
    if not isinstance(weight_map, dict) or not all(
        isinstance(file, str) and Path(file).name == file for file in weight_map.values()
    ):
        problems.append(f"{index.name}: weight_map must map tensor names to file names")
        return None, None
    metadata = raw.get("metadata")
    return weight_map, metadata.get("total_size") if isinstance(metadata, dict) else None


def _index_problems(
    weight_map: Mapping[str, str],
    total: object,
    found: Mapping[str, Stored],
    broken: Mapping[str, str],
) -> Iterator[str]:
    for name, file in weight_map.items():
        if name not in broken and (name not in found or found[name].file != file):
            where = f"it is in {found[name].file}" if name in found else "no file has it"
            yield f"{name}: {INDEX_FILE} says {file}, {where}"
    for name, stored in found.items():
        if name not in weight_map:
            yield f"{name}: in {stored.file}, missing in {INDEX_FILE}"
    size = sum(s.stop - s.start for s in found.values())
    if total is not None and not broken and total != size:
        yield f"{INDEX_FILE}: metadata.total_size must be {size}, got {total!r}"


def read_header(path: Path) -> tuple[dict[str, Stored], list[str], bool]:
    """A safetensors file's tensors, its faults, and whether its header could be read.

    The format: eight bytes of header length (little endian), the header in JSON, then the
    tensors' bytes without gaps.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > size - 8:
                return {}, [f"truncated: {size} bytes do not hold the header"], False
            raw = json.loads(file.read(length))
        if not isinstance(raw, dict):
            raise ValueError("the header is no JSON object")
    except FileNotFoundError:
        return {}, ["missing"], False
    except (OSError, ValueError) as error:
        return {}, [f"the header cannot be read: {error}"], False
    tensors: dict[str, Stored] = {}
    faults = []
    available = size - 8 - length
    for name, entry in raw.items():
        if name == "__metadata__":
            continue
        try:
            start, stop = entry["data_offsets"]
            shape = tuple(int(n) for n in entry["shape"])
            stored = Stored(path.name, str(entry["dtype"]), shape, int(start), int(stop))
        except (KeyError, TypeError, ValueError):
            faults.append(f"{name}: malformed header entry {entry!r}")
            continue
        tensors[name] = stored
        dtype = _DTYPES.get(stored.dtype)
        wanted = torch.Size(shape).numel() * dtype.itemsize if dtype else stored.stop - stored.start
        if stored.stop - stored.start != wanted:
            faults.append(
                f"{name}: {stored.dtype} {list(shape)} must have {wanted} bytes, "
                f"got {stored.stop - stored.start}"
            )
        elif stored.stop > available:
            missing = min(wanted, stored.stop - available)
            faults.append(f"{name}: truncated, {missing} of {wanted} bytes are cut off")
    end = max((s.stop for s in tensors.values()), default=0)
    if end > available:
        faults.insert(0, f"truncated: must have {8 + length + end} bytes, got {size}")
    elif end < available:
        faults.append(f"{available - end} bytes after the last tensor")
    ordered = sorted(tensors.items(), key=lambda item: item[1].start)
    for (name, one), (other, two) in itertools.pairwise(ordered):
        if one.stop != two.start:
            faults.append(f"{other}: must start where {name} ends, {one.stop}, got {two.start}")
    return tensors, faults, True


# -- tensors -----------------------------------------------------------------------------------


def _split_names(found: Mapping[str, Stored], prefix: str) -> tuple[dict[str, Stored], list[str]]:
    """The text model's tensors without prefix, and those of other parts of the model."""
    ours: dict[str, Stored] = {}
    ignored = []
    for name, stored in found.items():
        if name.startswith(prefix):
            ours[name.removeprefix(prefix)] = stored
        elif name.startswith(("model.", "lm_head.")):
            ours[name] = stored  # an unprefixed text tensor beside prefixed ones: compared below
        else:
            ignored.append(name)
    return ours, ignored


def _compare(
    config: K3Config, ours: Mapping[str, Stored], prefix: str, broken: Mapping[str, str]
) -> Iterator[str]:
    expected = dict(all_specs(config))
    for name, spec in expected.items():
        if name in ours:
            problem = _mismatch(spec, ours[name])
            if problem:
                yield f"{prefix}{name}: {problem}"
        else:
            file = broken.get(prefix + name)
            why = f" (it is in {file})" if file else ""
            yield f"{prefix}{name}: missing{why}, must be {_described(spec)}"
    for name in ours:
        if name not in expected:
            yield f"{prefix}{name}: the configuration has no such tensor"


def _described(spec: Spec) -> str:
    dtypes = " or ".join(str(dtype).removeprefix("torch.") for dtype in spec.dtypes)
    return f"{dtypes} {list(spec.shape)}"


def _mismatch(spec: Spec, stored: Stored) -> str | None:
    shape = stored.shape
    if spec.padded and len(shape) == len(spec.shape) and shape[0] >= spec.shape[0]:
        shape = (spec.shape[0], *shape[1:])
    if shape == spec.shape and _DTYPES.get(stored.dtype) in spec.dtypes:
        return None
    dtype = _DTYPES.get(stored.dtype, stored.dtype)
    got = f"{str(dtype).removeprefix('torch.')} {list(stored.shape)}"
    return f"must be {_described(spec)}, got {got}"
