"""The simulator process: what it needs, and every way that it may fail or end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from kk3fast_serve_fakes import CONFIG, decoder_layer
from torch import Tensor

from kk3fast.serve import simulated_process
from kk3fast.serve.modules import layer_weights
from kk3fast.serve.simulated_memory import SharedMemory, copy_in, flat_weights, laid_out, new_file
from kk3fast.serve.simulated_process import SimulationFailed, SimulatorProcess
from kk3fast.serve.simulated_settings import (
    DEADLINE,
    PATH,
    PYTHON,
    ProcessSettings,
    SimulatorUnavailable,
    process_settings,
)

LAYER = 3
ROOT = Path(__file__).resolve().parents[3]


def distribution(folder: Path, name: str, version: str, source: str = "") -> None:
    """A package that shadows the real one."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(source)
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


@pytest.fixture
def process(tmp_path: Path) -> Iterator[SimulatorProcess]:
    """One that fails if it imports vLLM or numba."""
    for name in ("vllm", "numba"):
        distribution(tmp_path, name, "1", 'raise AssertionError("must not be imported")\n')
    process = SimulatorProcess(ProcessSettings(Path(sys.executable), (tmp_path,), 60.0))
    yield process
    process.close()


def add(process: SimulatorProcess) -> None:
    weights = flat_weights(layer_weights(decoder_layer(LAYER), 0, CONFIG.shard(1)))
    process.add_layer(CONFIG.to_hf(nested=False), LAYER, True, [weights])


def run(process: SimulatorProcess, layer: int = LAYER) -> dict[str, Tensor]:
    g = torch.Generator().manual_seed(4)
    prefix, core, blocks = (
        torch.randn(2, *shape, generator=g).bfloat16()
        for shape in (
            (CONFIG.hidden_size,),
            (CONFIG.shard(1).mla_value_cols,),
            (CONFIG.num_blocks, CONFIG.hidden_size),
        )
    )
    inputs = {"prefix": prefix, "core": core, "blocks": blocks}
    buffers = {name: torch.full_like(prefix, torch.nan) for name in ("prefix_after", "out")}
    return process.run("k2", layer, [0], [inputs], [buffers], 0)


def gone(pid: int, seconds: float) -> bool:
    """Whether a process ends within ``seconds``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_it_runs_goes_on_after_an_exception_and_says_that_it_was_killed(
    process: SimulatorProcess,
) -> None:
    add(process)
    first = run(process)
    assert torch.isfinite(first["out"]).all()
    with pytest.raises(SimulationFailed, match=rf"k2 of layer 1: .*{process.pid}: KeyError: 1"):
        run(process, layer=1)
    assert torch.equal(run(process)["out"], first["out"])
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(SimulationFailed, match=rf"{process.pid} ended in k2 .* ended by SIGKILL"):
        run(process)
    with pytest.raises(SimulationFailed, match="is over: in k2 of layer 3: it was ended by"):
        run(process)


def test_a_run_that_does_not_end(
    process: SimulatorProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(process)
    monkeypatch.setattr(process, "_settings", ProcessSettings(Path(sys.executable), (), 0.2))
    monkeypatch.setattr(simulated_process, "GRACE_S", 0.1)
    os.kill(process.pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(SimulationFailed, match=r"k2 of layer 3: no answer in 0 s; it was killed"):
        run(process)
    assert time.monotonic() - began < 5.0
    assert gone(process.pid, 1.0)


def test_it_is_killed_within_a_run(process: SimulatorProcess) -> None:
    add(process)
    os.kill(process.pid, signal.SIGSTOP)  # the request waits in the socket

    def abort() -> None:
        os.kill(process.pid, signal.SIGABRT)
        os.kill(process.pid, signal.SIGCONT)

    threading.Timer(0.3, abort).start()
    with pytest.raises(SimulationFailed, match=r"ended in k2 of layer 3: .* by SIGABRT; what it"):
        run(process)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["kill -9", "term"])
def test_it_ends_with_its_parent(number: int) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "from kk3fast.serve.simulated_process import SimulatorProcess\n"
        "from kk3fast.serve.simulated_settings import ProcessSettings\n"
        "print(SimulatorProcess(ProcessSettings(Path(sys.executable))).pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    with parent, parent.stdout:
        child = int(parent.stdout.readline())
        assert not gone(child, 0.1)
        parent.send_signal(number)
        parent.wait(10)
        assert gone(child, 5.0)


def test_every_reason_why_it_does_not_start(tmp_path: Path) -> None:
    distribution(tmp_path, "llvmlite", "0.47.0")
    distribution(tmp_path, "flydsl", "9.1")
    distribution(tmp_path, "numpy", "2.0", 'raise RuntimeError("of another Python")\n')
    with pytest.raises(SimulatorUnavailable) as caught:
        SimulatorProcess(ProcessSettings(Path(sys.executable), (tmp_path,)))
    said = " ".join(caught.value.reasons)
    assert '"llvmlite>=0.50,<0.52"' in (ROOT / "pyproject.toml").read_text()
    for reason in (
        "numpy cannot be imported: RuntimeError: of another Python",
        "llvmlite must be >=0.50,<0.52, got 0.47.0",
        "as in the worker, got 9.1",
    ):
        assert reason in said


def test_an_interpreter_that_is_none(tmp_path: Path) -> None:
    for name in ("false", "true"):
        with pytest.raises(SimulatorUnavailable, match=r"ended in its start: it exited with [01]"):
            SimulatorProcess(ProcessSettings(Path(f"/bin/{name}")))


def test_every_wrong_setting_at_once(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    wrong = {PYTHON: str(missing), PATH: f"{tmp_path}{os.pathsep}{missing}", DEADLINE: "soon"}
    with pytest.raises(SimulatorUnavailable) as caught:
        process_settings(wrong)
    assert len(caught.value.reasons) == 3
    with pytest.raises(SimulatorUnavailable, match="above 0, got '-1'"):
        process_settings({DEADLINE: "-1"})
    found = process_settings({PATH: str(tmp_path), DEADLINE: "9"})
    assert found == ProcessSettings(Path(sys.executable), (tmp_path.resolve(),), 9.0)


def test_another_interpreter_gets_none_of_the_workers_paths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    assert ProcessSettings(Path(sys.executable)).environment()["PYTHONPATH"] == "/somewhere"
    assert "PYTHONPATH" not in ProcessSettings(Path("/other/python")).environment()


def test_tensors_lie_in_the_memory_once_and_whole() -> None:
    a, b = torch.arange(7, dtype=torch.int32), torch.randn(3, 5).bfloat16().T
    given = [{"a": a, "b": b}, {"a": a}]
    places, size = laid_out(given)
    assert places[0]["a"] == places[1]["a"]
    file = new_file(size)
    try:
        memory, other = SharedMemory(file), SharedMemory(file)
    finally:
        os.close(file)
    copy_in(memory, given, places)
    seen = other.named(places)
    assert torch.equal(seen[0]["a"], a)
    assert torch.equal(seen[0]["b"], b)
    seen[1]["a"][2] = 40  # of the other process
    assert memory.tensor(places[0]["a"])[2] == 40


def test_buffers_share_no_place() -> None:
    a = torch.ones(3)
    places, size = laid_out([{"a": a}, {"a": a}], 512, own=True)
    file = new_file(size)
    try:
        memory = SharedMemory(file)
    finally:
        os.close(file)
    copy_in(memory, [{"a": a}, {"a": a}], places)
    first, second = memory.named(places)
    first["a"].zero_()
    assert second["a"].tolist() == [1.0, 1.0, 1.0]
    assert min(place["a"][0] for place in places) == 512
