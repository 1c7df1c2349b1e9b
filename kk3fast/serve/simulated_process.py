"""The worker's end of its simulator process: start, weights, runs, and every way that it may end.

LLVM's JIT is kept out of the worker: vLLM's numba needs another llvmlite than the simulator, and an
assertion of LLVM ends its process. Nothing here waits without a deadline.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.metadata
import logging
import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from torch import Tensor

from kk3fast.serve.simulated_memory import Named, SharedMemory, copy_in, laid_out, new_file
from kk3fast.serve.simulated_protocol import Channel, Ended, Message
from kk3fast.serve.simulated_settings import ProcessSettings, SimulatorUnavailable, process_settings

logger = logging.getLogger("vllm.kk3")
START_S, END_S, GRACE_S = 120.0, 5.0, 10.0
TELL_S = 30.0
"""between two log lines of a wait, and of the runs' count"""
_CHILD = Path(__file__).with_name("simulated_child.py")


class SimulationFailed(RuntimeError):
    """A simulated launch failed, gave a wait up or ended its process; says all that is known."""


class SimulatorProcess:
    """A running simulator process.

    Raises:
        SimulatorUnavailable: it does not start; lists every reason.
    """

    def __init__(self, settings: ProcessSettings):
        self._settings, self._began = settings, time.monotonic()
        self._over: str | None = None
        self._step: SharedMemory | None = None
        self._runs, self._run_s, self._told = 0, 0.0, time.monotonic()
        self._known: set[str] = set()
        ours, theirs = socket.socketpair()
        words = [str(settings.python), str(_CHILD), str(theirs.fileno()), str(os.getpid())]
        try:
            self._process = subprocess.Popen(
                [*words, *map(str, settings.path)],
                stdin=subprocess.DEVNULL,
                stdout=2,  # with what LLVM says before it ends the process
                pass_fds=[theirs.fileno()],
                env=settings.environment(),
            )
        except OSError as error:
            ours.close()
            raise SimulatorUnavailable([f"{settings.python}: {error.strerror}"]) from None
        finally:
            theirs.close()
        self._channel = Channel(ours)
        try:
            found = self._answer("its start", START_S)
        except SimulationFailed as error:
            raise SimulatorUnavailable([str(error)]) from None
        reasons = [*found["reasons"], *_version_reasons(found["versions"])]
        if reasons:
            self.close()
            raise SimulatorUnavailable([f"{settings.python}: {reason}" for reason in reasons])
        versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
        seconds = time.monotonic() - self._began
        logger.info("kk3: simulator process %d in %.1f s: %s", self.pid, seconds, versions)

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def add_layer(
        self, config: dict[str, Any], index: int, dim_first: bool, weights: Named
    ) -> None:
        """Copy a layer's weights into memory that the process maps.

        Args:
            config: the model, as Hugging Face has it.
            dim_first: the conv state is ``[slots, dim, len]``.
            weights: by name, one mapping a rank; see ``simulated_memory.flat_weights``.

        Raises:
            SimulationFailed: the process failed or ended.
        """
        places, size = laid_out(weights)
        file = new_file(size)
        try:
            copy_in(SharedMemory(file), weights, places)
            about = {"config": config, "tp": len(weights), "conv_dim_first": dim_first}
            ask = {"do": "layer", "index": index, **about, "weights": places}
            self._ask(ask, file, f"layer {index}'s weights", START_S)
        finally:
            os.close(file)
        logger.info("kk3: simulator process %d: layer %d, %.1f MB", self.pid, index, size / 1e6)

    def run(
        self, kernel: str, layer: int, ranks: Sequence[int], inputs: Named, buffers: Named, own: int
    ) -> dict[str, Tensor]:
        """Run a fused layer's launches on all of ``ranks``.

        Args:
            kernel: a name of ``kk3fast.flydsl.layers.FUSED``.
            inputs, buffers: as ``FusedLayer.launches`` has them, one mapping a rank of ``ranks``;
                neither is written.
            own: whose buffers are returned, counted in ``ranks``.

        Returns:
            those buffers after the run, as new tensors.

        Raises:
            SimulationFailed: the run failed, gave a wait up, took too long, or the process ended.
        """
        places, middle = laid_out(inputs)
        outs, size = laid_out(buffers, middle, own=True)
        memory, file = self._room(size)
        copy_in(memory, inputs, places)
        copy_in(memory, buffers, outs)
        ask = {"kernel": kernel, "layer": layer, "ranks": list(ranks), "inputs": places}
        seconds = self._settings.deadline_s
        ask |= {"do": "run", "buffers": outs, "seconds": seconds}
        what = f"{kernel} of layer {layer}"
        try:
            done = self._ask(ask, file, what, seconds + GRACE_S)
        finally:
            if file is not None:
                os.close(file)
        self._tell(done, what)
        if done["problems"]:
            raise SimulationFailed(f"{what}: " + "; ".join(done["problems"]))
        return {name: tensor.clone() for name, tensor in memory.named([outs[own]])[0].items()}

    def close(self) -> None:
        """End the process."""
        self._over = self._over or "it was closed"
        self._channel.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(END_S)

    def _room(self, size: int) -> tuple[SharedMemory, int | None]:
        """The step's memory, and its file where the process does not have it yet."""
        if self._step is not None and self._step.size >= size:
            return self._step, None
        file = new_file(size)
        self._step = SharedMemory(file)
        return self._step, file

    def _ask(self, message: Message, memory: int | None, what: str, seconds: float) -> Message:
        if self._over is not None:
            raise SimulationFailed(
                f"{what}: the simulator process {self.pid} is over: {self._over}"
            )
        try:
            self._channel.send(message, memory)
        except (Ended, TimeoutError) as error:
            self._fail(what, str(error), isinstance(error, Ended))
        answer = self._answer(what, seconds)
        if "failed" in answer:
            logger.error("kk3: simulator process %d: %s\n%s", self.pid, what, answer["trace"])
            raise SimulationFailed(f"{what}: simulator process {self.pid}: {answer['failed']}")
        done: Message = answer["done"]
        return done

    def _answer(self, what: str, seconds: float) -> Message:
        """The next answer; the log says every :data:`TELL_S` how long it has taken."""
        began = time.monotonic()
        while True:
            spent = time.monotonic() - began
            if spent >= seconds:
                self._fail(what, f"no answer in {seconds:.0f} s", False)
            try:
                return self._channel.receive(min(TELL_S, seconds - spent))[0]
            except TimeoutError:
                spent = time.monotonic() - began
                logger.info("kk3: simulator process %d: %s, %.0f s", self.pid, what, spent)
            except (Ended, ValueError) as error:
                self._fail(what, str(error), isinstance(error, Ended))

    def _fail(self, what: str, why: str, ending: bool) -> NoReturn:
        """End the process and raise what is known of its end, which may have begun."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S if ending else 0.0)
        code = self._process.poll()
        if code is None:
            self._process.kill()
            self._process.wait(END_S)
            why = f"{why}; it was killed"
        elif code < 0:
            why = f"it was ended by {signal.Signals(-code).name}"
        else:
            why = f"it exited with {code}"
        self._over = f"in {what}: {why}"
        self._channel.close()
        raise SimulationFailed(
            f"the simulator process {self.pid} ended in {what}: {why}; what it wrote is in this log"
        )

    def _tell(self, done: Message, what: str) -> None:
        """Log the first run of every build, and now and then how many there were."""
        self._runs += 1
        self._run_s += done["seconds"]
        new = [build for build in done["builds"] if build not in self._known]
        self._known.update(new)
        if new:
            ready, seconds = done["ready_s"], done["seconds"]
            logger.info("kk3: %s: %s ready in %.1f s, %.1f s in all", what, new, ready, seconds)
        if time.monotonic() - self._told >= TELL_S:
            self._told = time.monotonic()
            logger.info("kk3: %d simulated launches, %.1f s in them", self._runs, self._run_s)


def _version_reasons(versions: dict[str, str]) -> list[str]:
    """What certificates were checked with must be what compiles."""
    ours, theirs = importlib.metadata.version("flydsl"), versions.get("flydsl")
    if theirs is None or theirs == ours:
        return []
    return [f"flydsl must be {ours}, as in the worker, got {theirs}"]


@functools.cache
def simulator_process() -> SimulatorProcess:
    """This process's own, started at the first call and ended at exit. Raises as the class."""
    process = SimulatorProcess(process_settings())
    atexit.register(process.close)
    return process


@functools.cache
def start_problems() -> tuple[str, ...]:
    """Why no simulator process starts here; empty if one does. It is tried."""
    try:
        SimulatorProcess(process_settings()).close()
    except SimulatorUnavailable as error:
        return error.reasons
    return ()
