"""A real ``vllm serve`` of the rig: started, waited for, asked, stopped, each with a deadline."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.serve.plugins import Plugin, write_site

NAME = "k3-tiny"
START_S, STOP_S, REQUEST_S = 300.0, 40.0, 120.0


class Overdue(RuntimeError):
    """A deadline passed; has the last lines of the server's log."""


@dataclass(frozen=True)
class Serving:
    """How a server is started."""

    additional: Mapping[str, Any] = field(default_factory=dict)
    """``additional_config``"""
    draft_tokens: int = 3
    """ngram drafts a step; 0: no speculation"""
    tp: int = 1
    max_num_seqs: int = 2
    dtype: str = "float32"
    plugin: Plugin = Plugin.INSTALLED
    environment: Mapping[str, str] = field(default_factory=dict)

    def arguments(self, model: Path, port: int) -> list[str]:
        """After ``vllm serve``."""
        options: dict[str, object] = {
            "--served-model-name": NAME,
            "--host": "127.0.0.1",
            "--port": port,
            "--dtype": self.dtype,
            "--tensor-parallel-size": self.tp,
            "--max-num-seqs": self.max_num_seqs,
            "--max-model-len": 512,
            "--seed": 0,
            "--additional-config": json.dumps(dict(self.additional)),
        }
        if self.draft_tokens:
            ngram = {"method": "ngram", "prompt_lookup_max": 2, "prompt_lookup_min": 1}
            drafts = {**ngram, "num_speculative_tokens": self.draft_tokens}
            options["--speculative-config"] = json.dumps(drafts)
        flat = [str(word) for pair in options.items() for word in pair]
        return [str(model), *flat, "--enforce-eager", "--no-enable-prefix-caching"]


def free_port() -> int:
    """A port of the loopback that nobody listens on now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Server:
    """One server process and its workers.

    Args:
        command: what to run; it serves HTTP on ``port``.
        folder: of the log.
    """

    def __init__(
        self, command: Sequence[str], port: int, folder: Path, environment: Mapping[str, str]
    ):
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.folder = port, folder
        self._began = time.monotonic()
        with (folder / "server.log").open("w") as log:
            self.process = subprocess.Popen(
                list(command),
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=dict(environment),
                cwd=folder,
                start_new_session=True,  # so that stop reaches every worker
            )

    @property
    def log(self) -> str:
        """All that the processes wrote."""
        return (self.folder / "server.log").read_text(errors="replace")

    def until_ready(self, seconds: float = START_S) -> float:
        """Wait for ``/health``; returns the seconds since the start.

        Raises:
            Overdue: it does not answer in time, or ended.
        """
        while time.monotonic() - self._began < seconds:
            if self.process.poll() is not None:
                raise self._overdue(f"it ended with {self.process.returncode} before it served")
            with contextlib.suppress(OSError):
                self.get("/health", 5.0)
                return time.monotonic() - self._began
            time.sleep(0.25)
        raise self._overdue(f"not ready after {seconds:.0f} s")

    def until_ended(self, seconds: float) -> int:
        """Wait for the server to end by itself; returns its exit code.

        Raises:
            Overdue: it still runs.
        """
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise self._overdue(f"it still ran after {seconds:.0f} s") from None

    def get(self, path: str, seconds: float = 10.0) -> str:
        """A page. Raises ``OSError`` as urllib does."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=seconds) as r:
            text: str = r.read().decode()
            return text

    def complete(
        self, prompt: Sequence[int], tokens: int, seconds: float = REQUEST_S
    ) -> tuple[int, list[int]]:
        """A greedy completion: HTTP status (0: no answer) and the tokens."""
        body = {
            "model": NAME,
            "prompt": list(prompt),
            "max_tokens": tokens,
            "temperature": 0,
            "ignore_eos": True,
            "return_token_ids": True,
        }
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                found = json.load(answer)["choices"][0]
                return int(answer.status), [int(t) for t in found["token_ids"]]
        except urllib.error.HTTPError as error:
            return error.code, []
        except TimeoutError:
            raise self._overdue(f"no answer in {seconds:.0f} s") from None
        except OSError:
            return 0, []

    @property
    def url(self) -> str:
        """Where an OpenAI client finds it."""
        return f"http://127.0.0.1:{self.port}/v1"

    def metrics(self, prefix: str = "kk3_") -> dict[str, float]:
        """Samples of ``/metrics`` by name with labels, of names that begin with ``prefix``."""
        found = {}
        for line in self.get("/metrics").splitlines():
            if line.startswith(prefix):
                name, _, value = line.rpartition(" ")
                found[name] = float(value)
        return found

    def workers(self) -> list[int]:
        """Process ids of the session whose name is that of a vLLM worker, oldest first."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError, ValueError):
                pid = int(path.parent.name)
                if os.getsid(pid) == self.process.pid and b"VLLM::Worker" in path.read_bytes():
                    found.append(pid)
        return sorted(found)

    def stop(self, seconds: float = STOP_S) -> int:
        """End it as an operator does; what is left after ``seconds`` is killed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)  # its own session: workers too
        return self.process.wait(10)

    def _overdue(self, what: str) -> Overdue:
        last = "\n".join(self.log.splitlines()[-15:])
        return Overdue(f"{what}; its log ends:\n{last}")


def environment(path: Sequence[Path], serving: Serving, state: Path) -> dict[str, str]:
    """The environment of a server of the rig."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    kept = {
        n: v
        for n, v in os.environ.items()
        if n not in hidden and not n.startswith(("VLLM_", "KK3_"))
    }
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "VLLM_TARGET_DEVICE": "cpu",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_MLA_DISABLE": "1",
        "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "passive",  # threads that spin take the cores from each other
        "KK3_STATE_DIR": str(state),
        **serving.environment,
    }


def start(python: Path, model: Path, serving: Serving, folder: Path) -> Server:
    """Start ``vllm serve`` of the rig; ``folder`` takes its log and its state files."""
    port, state = free_port(), folder / "state"
    path = write_site(folder / "site", serving.plugin)
    command = [str(python), "-m", "vllm.entrypoints.cli.main", "serve"]
    return Server(
        [*command, *serving.arguments(model, port)], port, folder, environment(path, serving, state)
    )


@contextlib.contextmanager
def running(python: Path, model: Path, serving: Serving, folder: Path) -> Iterator[Server]:
    """A server that is ready; stopped at the end, whatever happens.

    Raises:
        Overdue: it does not become ready.
    """
    server = start(python, model, serving, folder)
    try:
        server.until_ready()
        yield server
    finally:
        server.stop()
