"""A run of scenarios: where things lie, how each is timed, and the table at the end."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from tests.serve.certificates import Certificates
from tests.serve.model_folder import write_model
from tests.serve.plugins import Plugin, write_site
from tests.serve.server import Overdue, Server, Serving, environment, start

DRAFTS = 3
ROWS = DRAFTS + 1
WIDTHS = (ROWS, 2 * ROWS)


class Failed(AssertionError):
    """A scenario did not go as it must."""


@dataclass
class Result:
    """One line of the table."""

    scenario: str
    tp: int
    passed: bool
    seconds: float
    told: str
    """what was seen, or why it failed"""


@dataclass
class Rig:
    """What the scenarios of one tensor-parallel size share.

    Attributes:
        python: the rig's interpreter.
        folder: of the model, the certificates, and a folder a server.
        tp: ranks.
        progress: called with a line whenever something begins or ends.
    """

    python: Path
    folder: Path
    tp: int
    progress: Callable[[str], None] = lambda line: None
    results: list[Result] = field(default_factory=list)
    _certificates: Certificates | None = None
    _servers: int = 0

    @property
    def model(self) -> Path:
        """The tiny checkpoint."""
        return write_model(self.folder / "model")

    @property
    def certificates(self) -> Certificates:
        """Of this deployment; its builds are compiled at the first use."""
        if self._certificates is None:
            self.progress("certificates: compiling the builds")
            where = self.folder / f"certificates-tp{self.tp}-{time.time_ns()}"
            self._certificates = Certificates(where, self.tp, ROWS, WIDTHS, self.versions)
        return self._certificates

    @property
    def versions(self) -> dict[str, str]:
        """Of the rig's vLLM, as its own interpreter knows them."""
        code = "import json; from kk3fast.serve.versions import installed_versions as v; "
        path = write_site(self.folder / "versions", Plugin.INSTALLED)
        told = subprocess.run(
            [str(self.python), "-c", code + "print(json.dumps(v()))"],
            env=environment(path, Serving(), self.folder),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        found: dict[str, str] = json.loads(told.stdout)
        return found

    def on(self, **more: Any) -> dict[str, Any]:
        """``additional_config`` of a server that runs the fused layers' contract."""
        held = self.certificates
        return {
            "decode_backend": "kk3",
            "kk3_kernels": "contract",
            "kk3_certificate": str(held.good),
            "kk3_policy": str(held.policy),
            **more,
        }

    def start(self, name: str, serving: Serving) -> Server:
        """Start a server of this size; the caller stops it."""
        self._servers += 1
        where = self.folder / f"tp{self.tp}-{self._servers}-{name.replace(' ', '-')}"
        return start(self.python, self.model, serving, where)

    def verify(self, servings: Iterable[Serving]) -> list[str | None]:
        """What forbids each command line when vLLM verifies its configuration; None: nothing.

        Raises:
            Failed: the verifying process did.
        """
        self._servers += 1
        where = self.folder / f"tp{self.tp}-{self._servers}-verify"
        path = write_site(where / "site", Plugin.INSTALLED)
        commands = [serving.arguments(self.model, 8000) for serving in servings]
        (where / "commands.json").write_text(json.dumps(commands))
        done = subprocess.run(
            [str(self.python), "-m", "tests.serve.verify_many", str(where / "commands.json")],
            env=environment(path, Serving(), where / "state"),
            cwd=where,  # metadata beside the sources would hide the site's
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        (where / "verify.log").write_text(done.stdout + done.stderr)
        expect(done.returncode == 0, "verifying failed: " + done.stderr[-600:])
        said: list[str | None] = json.loads(done.stdout.splitlines()[-1])
        return said

    @contextlib.contextmanager
    def running(self, name: str, serving: Serving) -> Iterator[Server]:
        """A server that is ready; stopped at the end.

        Raises:
            Overdue: it is not ready in time.
        """
        self.progress(f"{name}: starting a server")
        server = self.start(name, serving)
        try:
            seconds = server.until_ready()
            self.progress(f"{name}: ready after {seconds:.0f} s")
            yield server
        finally:
            server.stop()

    @contextlib.contextmanager
    def scenario(self, name: str, deadline: float) -> Iterator[list[str]]:
        """Time a scenario and record it; the list takes what was seen.

        A failure is recorded, not raised, so that the others run. After ``deadline`` seconds it is
        broken off wherever it is.
        """
        told: list[str] = []
        began = time.monotonic()
        self.progress(f"{name}: running")
        try:
            with _deadline(deadline, name):
                yield told
        except (Failed, Overdue, OSError, subprocess.SubprocessError) as error:
            self._record(name, False, began, f"{type(error).__name__}: {error}")
        else:
            self._record(name, True, began, "; ".join(told))

    def _record(self, name: str, passed: bool, began: float, told: str) -> None:
        result = Result(name, self.tp, passed, round(time.monotonic() - began, 1), told)
        self.results.append(result)
        self.progress(f"{name}: {'pass' if passed else 'FAIL'} in {result.seconds:.0f} s: {told}")


def expect(right: bool, otherwise: str) -> None:
    """Raise :class:`Failed` unless ``right``."""
    if not right:
        raise Failed(otherwise)


@contextlib.contextmanager
def _deadline(seconds: float, name: str) -> Iterator[None]:
    def raised(_: int, __: FrameType | None) -> None:
        raise Overdue(f"{name} took more than {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, raised)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def table(results: list[Result]) -> str:
    """The results in Markdown."""
    lines = ["| scenario | TP | verdict | seconds | seen |", "|---|---|---|---|---|"]
    for r in results:
        told = " ".join(r.told.split()).replace("|", "\\|")
        told = told if len(told) <= 200 else told[:197] + "…"
        verdict = "pass" if r.passed else "**fail**"
        lines.append(f"| {r.scenario} | {r.tp} | {verdict} | {r.seconds:.0f} | {told} |")
    return "\n".join(lines)


def as_json(results: list[Result]) -> list[dict[str, Any]]:
    """The results as data."""
    return [asdict(r) for r in results]
