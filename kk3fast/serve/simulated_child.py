"""The simulator process: the fused layers' kernels on weights and steps that a worker shares.

    PYTHON simulated_child.py SOCKET PARENT [FOLDER …]

``SOCKET`` is an inherited stream socket, ``PARENT`` the worker's process id, ``FOLDER`` … go to the
front of ``sys.path``. kk3 is taken from this file's own checkout, everything else from the
interpreter, so that it may be an environment with another llvmlite than vLLM's. Neither vLLM nor
numba is imported. It ends when its parent does, however that ends.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import signal
import socket
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kk3fast.serve.simulated_protocol import Channel
    from kk3fast.serve.simulated_work import Work

_HERE = Path(__file__).resolve().parent
_LLVMLITE = (["0", "50"], ["0", "51"])
_LOOK_S = 0.5  # between two looks at the parent


def main(arguments: list[str]) -> int:
    """Serve the parent until it closes its end."""
    parent = int(arguments[1])
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's to answer
    # As a script's folder kk3fast/serve is on the path: its modules would shadow others.
    sys.path[:] = [*arguments[2:], *(p for p in sys.path if Path(p).resolve() != _HERE)]
    _adopt("kk3ref", "kk3fast")
    from kk3fast.serve.simulated_protocol import Channel, Ended

    channel = Channel(socket.socket(fileno=int(arguments[0])))
    try:
        versions, reasons = _check()
        channel.send({"versions": versions, "reasons": reasons})
        if reasons:
            return 1
        from kk3fast.serve.simulated_work import Work

        work = Work()
        while True:
            _answer(channel, work)
    except Ended:
        return 0


def _end_with(parent: int) -> None:
    """End this process, whatever it does, once its parent is another one."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)


def _adopt(*packages: str) -> None:
    """Import packages of this checkout, whichever the interpreter has."""
    for name in packages:
        folder = _HERE.parents[1] / name
        spec = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


def _check() -> tuple[dict[str, str], list[str]]:
    """Versions of what is needed, and every reason why it will not do."""
    versions = {"python": sys.version.split()[0]}
    reasons = []
    if sys.version_info < (3, 10):  # noqa: UP036 - it may be any interpreter
        reasons.append(f"Python must be 3.10 or later, got {versions['python']}")
    for name in ("numpy", "torch", "flydsl", "llvmlite"):
        try:
            importlib.import_module(name)
            versions[name] = importlib.metadata.version(name)
        except Exception as error:  # a broken package may raise anything
            reasons.append(f"{name} cannot be imported: {type(error).__name__}: {error}")
    llvmlite = versions.get("llvmlite")
    if llvmlite is not None and llvmlite.split(".")[:2] not in _LLVMLITE:
        reasons.append(f"llvmlite must be >=0.50,<0.52, got {llvmlite}")
    if not reasons:
        try:
            from kk3fast.sim.native import native

            native()
        except Exception as error:
            reasons.append(f"its native code does not load: {type(error).__name__}: {error}")
    return versions, reasons


def _answer(channel: Channel, work: Work) -> None:
    """Wait for a request, do it, answer; an exception is an answer, too."""
    try:
        message, memory = channel.receive(60.0)
    except TimeoutError:
        return
    try:
        answer: dict[str, Any] = {"done": work.do(message, memory)}
    except Exception as error:
        failed = f"{type(error).__name__}: {error}"
        answer = {"failed": failed, "trace": traceback.format_exc()}
    finally:
        if memory is not None:
            os.close(memory)
    channel.send(answer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
