"""What a simulator process does: it keeps layers' weights, and runs a kernel on all given ranks."""

from __future__ import annotations

import time
from typing import Any

import torch

from kk3fast.flydsl.layers import FUSED
from kk3fast.flydsl.run import simulated
from kk3fast.flydsl.run.health import problems
from kk3fast.flydsl.run.memory import StepMemory
from kk3fast.serve.simulated_memory import SharedMemory, weights_of
from kk3fast.serve.simulated_protocol import Message
from kk3ref.config import K3Config
from kk3ref.stages import LayerOptions, RankContext


class Work:
    """The state of the process: weights, launch memory, and the step's shared memory."""

    def __init__(self) -> None:
        torch.set_num_threads(1)
        self._layers: dict[int, list[RankContext]] = {}
        self._memory: dict[str, StepMemory] = {}
        self._step: SharedMemory | None = None

    def do(self, message: Message, memory: int | None) -> dict[str, Any]:
        """Do what a message asks; the answer's fields."""
        if message["do"] == "layer":
            assert memory is not None
            return self._add(message, SharedMemory(memory))
        if memory is not None:
            self._step = SharedMemory(memory)
        return self._run(message)

    def _add(self, message: Message, memory: SharedMemory) -> dict[str, Any]:
        config, tp = K3Config.from_hf(message["config"]), message["tp"]
        index = message["index"]
        options = LayerOptions(conv_dim_first=message["conv_dim_first"])
        self._layers[index] = [
            RankContext(
                config, config.layer(index), config.shard(tp), rank, weights_of(held), options
            )
            for rank, held in enumerate(memory.named(message["weights"]))
        ]
        return {}

    def _run(self, message: Message) -> dict[str, Any]:
        began = time.monotonic()
        assert self._step is not None
        contexts = [self._layers[message["layer"]][rank] for rank in message["ranks"]]
        inputs = self._step.named(message["inputs"])
        buffers = self._step.named(message["buffers"])
        launches = FUSED[message["kernel"]].launches(contexts, inputs, buffers, {})
        builds = [launch.build for launch in launches]
        key = builds[0].symbol
        if key not in self._memory:
            self._memory[key] = StepMemory.for_builds(builds, len(contexts))
        memory = self._memory[key]
        memory.begin_step()
        run = simulated.run(launches, memory, isa=False, timeout_s=message["seconds"])
        seconds = time.monotonic() - began
        return {
            "seconds": seconds,
            "ready_s": seconds - run.result.seconds,
            "builds": [build.symbol for build in builds],
            "problems": problems(memory, builds),
        }
