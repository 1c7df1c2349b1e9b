"""The executor behind vLLM's specialized-decode hooks: our layers, counted and watched.

vLLM calls ``prepare_kv`` when it has bound a KV cache, ``plan`` once a step and ``after_step`` once
a step from ``compute_logits``, on every rank alike.
"""

from __future__ import annotations

import logging
from typing import Any

from torch import Tensor

from kk3fast.runtime.failstop import Watch
from kk3fast.runtime.layers import WHOLE, layer_kinds
from kk3fast.runtime.planning import Caches, Step, Stock
from kk3fast.serve import state, workers
from kk3fast.serve.agreement import Opinion, agree
from kk3fast.serve.check import ServedConfig
from kk3fast.serve.kernels import layer_kernels
from kk3fast.serve.routing import route
from kk3fast.serve.switch import OffSwitch

logger = logging.getLogger("vllm.kk3")
SWITCHED_OFF = "switched off"


class Executor:
    """Our kernels for a loaded model.

    Args:
        backbone: vLLM's ``KimiLinearModel``.
        served: what the gate opened.

    Raises:
        Refused: on every rank alike, if a rank cannot read its loaded weights.
    """

    def __init__(self, backbone: Any, served: ServedConfig):
        self.backbone, self.config = backbone, served
        self.rank, self.ranks, self._group = workers.tensor_parallel()
        kinds = layer_kinds(served.model)
        self._kda_names = [
            backbone.layers[i].self_attn.prefix for i, kind in kinds.items() if kind == WHOLE
        ]
        self._kda = [backbone.layers[i].self_attn for i, kind in kinds.items() if kind == WHOLE]
        self.kernels = layer_kernels(backbone, served, self.rank, self.ranks, self._group)
        self._caches = Caches(self._cache_key)
        self.state = _state(served, self.rank, self.ranks)
        self.file = _report(self.state, served, len(kinds))
        self._watch = Watch(self.kernels.failed, self.rank, self.ranks, self._group)
        self._off = OffSwitch(served.settings.off_switch, self._group)

    # -- vLLM's hooks ------------------------------------------------------------------------

    def prepare_kv(self) -> None:
        """Check and bind the caches that vLLM has just bound.

        Raises:
            Refused: on every rank alike; lists every cache that the kernels cannot use.
        """
        self._caches.forget()
        if self._cache_key() is None:
            return
        reasons = tuple(("cache", problem) for problem in self.kernels.cache_problems())
        agree(Opinion("caches", reasons), self.config.settings.backend, self._group)
        self._caches.prepared()

    def plan(self, positions: Tensor, intermediate_tensors: Any) -> Step | None:
        """The step's plan; None runs vLLM's layers.

        Raises:
            RuntimeError: the KV cache was re-bound without ``prepare_kv``.
        """
        found = route(
            positions,
            intermediate_tensors,
            bound=self._caches.bound,
            widths=self.config.widths,
            kda_name=self._kda_names[0],
        )
        if isinstance(found, Stock):
            if found.of_a_request:
                self.state.refused[found.value] += 1
            return None
        if self._off.on:
            self.state.refused[SWITCHED_OFF] += 1
            return None
        self._caches.check()
        width = positions.size(-1)
        self.state.planned += 1
        kernels = self.kernels.at(width)
        self.state.launches += len(kernels)
        self.kernels.begin_step()
        return Step(width, found, kernels)

    def after_step(self) -> None:
        """Once a step on every rank.

        Raises:
            FailStop: on every rank at the same step, once a rank gave up a wait.
        """
        self.state.steps += 1
        try:
            self._watch.after_step()
        except RuntimeError as error:
            self.state.fail_stops += 1
            self.state.failure = str(error)
            self.file.write(force=True)
            raise
        self._off.after_step()
        self.state.switched_off = int(self._off.on)
        self.file.write()

    def _cache_key(self) -> tuple[int, int] | None:
        """Where the first KDA layer's recurrent state lies; None before a cache is bound."""
        held = self._kda[0].kv_cache
        if not isinstance(held, (list, tuple)) or len(held) != 2 or held[1].numel() == 0:
            return None
        return held[1].data_ptr(), held[1].numel()


class CountedExecutor:
    """vLLM's own executor, gated by a certificate: its steps are counted too."""

    def __init__(self, inner: Any, served: ServedConfig):
        self._inner = inner
        rank, ranks, group = workers.tensor_parallel()
        self.state = _state(served, rank, ranks)
        self.file = _report(self.state, served, len(layer_kinds(served.model)))
        self._off = OffSwitch(served.settings.off_switch, group)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def plan(self, positions: Tensor, intermediate_tensors: Any) -> Any:
        """vLLM's plan; none while the off switch is on."""
        if self._off.on:
            self.state.refused[SWITCHED_OFF] += 1
            return None
        step = self._inner.plan(positions, intermediate_tensors)
        if step is None:
            self.state.refused["vllm"] += 1
        else:
            self.state.planned += 1
            self.state.launches += len(step.kernels)
        return step

    def after_step(self) -> None:
        """vLLM's watch."""
        self.state.steps += 1
        try:
            self._inner.after_step()
        except RuntimeError as error:
            self.state.fail_stops += 1
            self.state.failure = str(error)
            self.file.write(force=True)
            raise
        self._off.after_step()
        self.state.switched_off = int(self._off.on)
        self.file.write()


def _state(served: ServedConfig, rank: int, ranks: int) -> state.WorkerState:
    settings = served.settings
    return state.WorkerState(
        rank,
        ranks,
        settings.backend,
        settings.kernels,
        served.opens,
        served.certificate[:12],
        served.deployment,
        served.model.digest(),
        workers.architecture(),
    )


def _report(counters: state.WorkerState, served: ServedConfig, layers: int) -> state.StateFile:
    """Log what was opened, and start the worker's state file."""
    where = f"kk3: rank {counters.rank} of {counters.ranks}"
    logger.info(
        "%s: decode_backend=%s kernels=%s opens=%s certificate=%s",
        where,
        counters.backend,
        counters.kernels,
        counters.opens,
        counters.certificate,
    )
    logger.info(
        "%s: %d layers, widths %s, %d builds; other steps run vLLM's decode",
        where,
        layers,
        list(served.widths),
        len(served.builds),
    )
    if served.settings.evaluation:
        logger.warning("%s: kk3_evaluation: for evaluation only, not for users", where)
    file = state.StateFile(counters, state.state_folder())
    file.write(force=True)
    if file.problem:
        logger.warning("%s: %s", where, file.problem)
    return file
