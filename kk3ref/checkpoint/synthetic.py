"""Seeded random weights in the published layout, at any size, a slice at a time.

A tensor is the concatenation of eight slices along its split axis (fewer where eight does not
divide the axis). Each slice is drawn from generators keyed by (seed, name, slice, chunk), so its
values depend neither on the order of access nor on the tensor parallelism, and a rank's shard is
made without the rest of the tensor.

The values are made for tests, not for training: a normal variate is one of 65 536 quantiles,
picked by 16 random bits. Projections have variance 1/fan_in and norms are near 1, so activations
stay of order one; KDA's gates spread over slow and fast decays; MXFP4 codes are uniform, with
scales that give a unit-variance row an output of order one.
"""

from __future__ import annotations

import hashlib
import math
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache

import numpy as np
import torch
from torch import Tensor

from kk3ref.checkpoint.names import Spec, expert_specs, layer_specs, model_specs
from kk3ref.checkpoint.source import Source
from kk3ref.config import K3Config
from kk3ref.formats import E2M1_VALUES

_SLICES = 8
_CHUNK = 1 << 20  # entries a generator makes
_STEP = 1 << 17  # entries made at once: their random bits stay in the cache
_EXPERTS = ".block_sparse_moe.experts."

# Mean and standard deviation of what is no projection.
_MOMENTS = {
    "norm": (1.0, 0.1),
    "conv": (0.0, 0.5),
    "a_log": (0.0, 0.5),
    "dt_bias": (-2.0, 1.0),
    "bias": (0.0, 0.1),
    "embed": (0.0, 1.0),
}


class SyntheticWeights(Source):
    """Random weights of a configuration.

    Args:
        config: the model.
        seed: every value depends on it and on the tensor's name alone.
    """

    def __init__(self, config: K3Config, seed: int = 0):
        super().__init__(config, f"synthetic:{seed}")
        self.seed = seed
        self._specs: dict[str, dict[str, Spec]] = {}

    @cached_property
    def _experts(self) -> dict[str, Spec]:
        return expert_specs(self.config)

    def spec(self, name: str) -> Spec:
        """The tensor's specification.

        Raises:
            KeyError: the model has no such tensor.
        """
        if not name.startswith("model.layers."):
            return model_specs(self.config)[name]
        _, _, number, inner = name.split(".", 3)
        if not number.isdecimal() or int(number) >= self.config.num_hidden_layers:
            raise KeyError(name)
        layer = self.config.layer(int(number))
        if _EXPERTS in name and layer.mlp == "moe":
            expert, _, rest = name.partition(_EXPERTS)[2].partition(".")
            if expert.isdecimal() and int(expert) < self.config.num_experts:
                return self._experts[rest]
            raise KeyError(name)
        if number not in self._specs:
            self._specs[number] = layer_specs(self.config, layer)
        return self._specs[number][inner]

    def read(
        self, name: str, axis: int | None = None, start: int = 0, stop: int | None = None
    ) -> Tensor:
        """See :meth:`kk3ref.checkpoint.source.Source.read`."""
        spec = self.spec(name)
        split = spec.axis or 0
        size = spec.shape[split]
        count = math.gcd(size, _SLICES) if spec.axis is not None else 1
        step = size // count
        first, last = 0, count
        if axis is not None:
            stop = spec.shape[axis] if stop is None else stop
            if not 0 <= start < stop <= spec.shape[axis]:
                raise IndexError(
                    f"{name}: {start}:{stop} must lie inside axis {axis} of {spec.shape}"
                )
            if axis == split:
                first, last = start // step, -(-stop // step)
        shape = (*spec.shape[:split], step, *spec.shape[split + 1 :])
        parts = self._slices(name, spec, range(first, last), shape)
        whole = torch.cat(parts, split) if len(parts) > 1 else parts[0]
        if axis is None or stop is None:
            return whole
        offset = first * step if axis == split else 0
        return whole.narrow(axis, start - offset, stop - start).contiguous()

    def _slices(
        self, name: str, spec: Spec, indices: range, shape: tuple[int, ...]
    ) -> list[Tensor]:
        table = _table(spec)
        outs = [np.empty(math.prod(shape), table.dtype) for _ in indices]
        jobs = []
        for i, out in zip(indices, outs, strict=True):
            for chunk in range(0, len(out), _CHUNK):
                key = f"{self.seed}/{name}/{i}/{chunk // _CHUNK}"
                jobs.append((key, table, out[chunk : chunk + _CHUNK]))
        workers = min(torch.get_num_threads(), len(jobs))
        if workers > 1:  # NumPy draws and looks up without holding the interpreter's lock
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(_fill, jobs))
        else:
            for job in jobs:
                _fill(job)
        return [torch.from_numpy(out).view(spec.dtype).view(shape) for out in outs]


def _fill(job: tuple[str, np.ndarray, np.ndarray]) -> None:
    """Fill ``out`` with entries of the table, picked by the key's random bits."""
    key, table, out = job
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:16], "little")
    bits = np.random.SFC64(seed)
    index_type = np.dtype(np.uint8 if len(table) == 256 else np.uint16)
    per_word = 8 // index_type.itemsize
    for i in range(0, len(out), _STEP):
        part = out[i : i + _STEP]
        words = np.asarray(bits.random_raw(-(-len(part) // per_word)))
        index = words.view(index_type)[: len(part)]
        if table is _BYTES:
            part[:] = index
        else:
            np.take(table, index, out=part, mode="wrap")  # every index is inside; wrap is fastest


_BYTES = np.arange(256, dtype=np.uint8)


def _table(spec: Spec) -> np.ndarray:
    """The equally likely values of a tensor's entries; bf16 as its bits."""
    if spec.role == "codes":
        return _BYTES
    if spec.role == "scales":
        return _scale_table(spec.fan_in)
    if spec.role == "projection":
        return _normal_table(0.0, spec.fan_in**-0.5, spec.dtype)
    if spec.role == "query":  # logits of a few units: a softmax that is neither flat nor one-hot
        return _normal_table(0.0, 2 * spec.fan_in**-0.5, spec.dtype)
    return _normal_table(*_MOMENTS[spec.role], spec.dtype)


@lru_cache(maxsize=64)
def _normal_table(mean: float, std: float, dtype: torch.dtype) -> np.ndarray:
    quantiles = torch.special.ndtri((torch.arange(65536, dtype=torch.float64) + 0.5) / 65536)
    values = (quantiles * std + mean).to(dtype)
    return values.view(torch.int16 if dtype == torch.bfloat16 else dtype).numpy()


@lru_cache(maxsize=8)
def _scale_table(fan_in: int) -> np.ndarray:
    """Three neighbouring scales whose outputs have a variance near one."""
    codes = sum(v * v for v in E2M1_VALUES) / len(E2M1_VALUES)
    scales = (0.25 + 1 + 4) / 3  # mean square of 1/2, 1, 2
    middle = 127 - round(math.log2(math.sqrt(codes * scales * fan_in)))
    return (middle - 1 + np.arange(256) * 3 // 256).astype(np.uint8)
