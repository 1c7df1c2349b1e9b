"""A server whose planned steps run the builds themselves, on the simulator."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from kk3fast.serve.simulated_settings import PATH
from tests.serve.rig import Rig, expect
from tests.serve.scenarios import LOAD_PROMPTS, TOKENS, planned
from tests.serve.server import START_S, Server, Serving

LLVMLITE = "llvmlite>=0.50,<0.52"
ROUNDS = 3
REQUEST_S = 300.0


def simulated(rig: Rig) -> None:
    """Completions in a row, each with planned steps; then kill -9 of the simulator processes."""
    deadline = 2 * START_S + ROUNDS * REQUEST_S
    server = None
    try:
        with rig.scenario("simulated kernels", deadline) as told:
            folder = packages(rig.python)
            serving = Serving(
                tp=rig.tp,
                dtype="bfloat16",
                additional=rig.on(kk3_kernels="simulated"),
                environment={PATH: str(folder)},
            )
            wanted = _of_the_contract(rig)
            server = rig.start("simulated", serving)
            told.append(f"ready after {server.until_ready():.0f} s")
            _completions(rig, server, wanted, told)
        if server is not None and rig.results[-1].passed:
            _kill(rig, server)
    finally:
        if server is not None:
            server.stop()


def _of_the_contract(rig: Rig) -> list[int]:
    """The text of the reference's contract in bf16, under the same speculation."""
    serving = Serving(tp=rig.tp, dtype="bfloat16", additional=rig.on())
    with rig.running("contract in bf16", serving) as server:
        return server.complete(LOAD_PROMPTS[0], TOKENS)[1]


def _completions(rig: Rig, server: Server, wanted: list[int], told: list[str]) -> None:
    before, texts = 0, []
    for _ in range(ROUNDS):
        began = time.monotonic()
        status, tokens = server.complete(LOAD_PROMPTS[0], TOKENS, REQUEST_S)
        seconds = time.monotonic() - began
        expect(status == 200 and len(tokens) == TOKENS, f"HTTP {status}, {len(tokens)} tokens")
        counts = planned(server, rig.tp, before + 1)
        told.append(f"{TOKENS} tokens in {seconds:.1f} s, {counts[0] - before} steps planned")
        rig.progress(told[-1])
        before = counts[0]
        texts.append(tokens)
    expect(texts == texts[:1] * ROUNDS, "the same prompt must give the same tokens")
    pairs = zip(texts[0], wanted, strict=True)
    same = next((i for i, (ours, theirs) in enumerate(pairs) if ours != theirs), TOKENS)
    told.append(f"the first {same} tokens are the contract's")
    expect(len(processes(server)) == rig.tp, "every worker must have one simulator process")


def _kill(rig: Rig, server: Server) -> None:
    """The request fails, the server ends and says why; nobody waits for ever."""
    with rig.scenario("kill -9 of a simulator", 180) as told:
        first = processes(server)[0]
        os.kill(first, signal.SIGKILL)
        began = time.monotonic()
        status, _ = server.complete(LOAD_PROMPTS[0], TOKENS, 120)
        expect(status in (0, 500), f"the request must fail, got HTTP {status}")
        code = server.until_ended(60)
        seconds = time.monotonic() - began
        expect(f"simulator process {first} ended in" in server.log, "the log must name it")
        time.sleep(1.0)  # the others look at their parents twice a second
        left = processes(server)
        expect(not left, f"simulator processes {left} are still there")
        told.append(f"HTTP {status}; the server ended with {code} after {seconds:.1f} s")


def processes(server: Server) -> list[int]:
    """The simulator processes of a server."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError, ValueError):
            pid = int(path.parent.name)
            if os.getsid(pid) == server.process.pid and b"simulated_child.py" in path.read_bytes():
                found.append(pid)
    return sorted(found)


def packages(python: Path) -> Path:
    """The folder of what the simulator process has and the rig not; filled at the first use."""
    folder = python.parents[1] / "kk3-simulator"
    if not folder.is_dir():
        half = folder.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(half)]
        subprocess.run([*pip, LLVMLITE], check=True, timeout=300, stdout=subprocess.DEVNULL)
        half.rename(folder)
    return folder
