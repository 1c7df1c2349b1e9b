"""Messages between a worker and its simulator process: JSON and open memory over a local socket.

Every wait has a deadline. Needs the standard library only: the simulator process says with it what
else is missing.

The worker asks, the process answers; the first message is the process's own:

* ``{"versions": {…}, "reasons": […]}``: ready if there are no reasons.
* ``{"do": "layer", "index", "config", "tp", "conv_dim_first", "weights"}`` and the memory that the
  weights lie in → ``{"done": {}}``. ``weights``: one mapping a rank, name → place.
* ``{"do": "run", "kernel", "layer", "ranks", "inputs", "buffers", "seconds"}``, and memory if it is
  new → ``{"done": {"seconds", "ready_s", "builds", "problems"}}``. ``inputs`` and ``buffers``: one
  mapping a rank, name → place in the step's memory.
* to any: ``{"failed": sentence, "trace": text}``.

A place is ``[offset, dtype, shape]`` of a contiguous tensor.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]
Place = tuple[int, str, Sequence[int]]
FRAME_S = 30.0
"""for the rest of a message once it has begun"""
_LENGTH = struct.Struct("!I")


class Ended(ConnectionError):
    """The other process has closed its end, has gone, or keeps half a message back."""


class Channel:
    """One end of a connected stream socket."""

    def __init__(self, end: socket.socket):
        self._end = end

    def send(self, message: Message, memory: int | None = None) -> None:
        """Send a message, and an open file of memory with it.

        Raises:
            Ended: the other end has gone.
            TimeoutError: it takes nothing for :data:`FRAME_S`.
        """
        body = json.dumps(message).encode()
        self._end.settimeout(FRAME_S)
        try:
            sent = socket.send_fds(
                self._end, [_LENGTH.pack(len(body))], [] if memory is None else [memory]
            )
            self._end.sendall(_LENGTH.pack(len(body))[sent:] + body)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Ended(str(error)) from None

    def receive(self, seconds: float) -> tuple[Message, int | None]:
        """The next message and its memory, an open file that is now the caller's.

        Raises:
            Ended: the other end has gone.
            TimeoutError: no message begins within ``seconds``.
        """
        if not select.select([self._end], [], [], seconds)[0]:
            raise TimeoutError(f"no message within {seconds:.0f} s")
        end = time.monotonic() + FRAME_S
        self._end.settimeout(FRAME_S)
        memory: int | None = None
        try:
            head, files, _, _ = socket.recv_fds(self._end, _LENGTH.size, 1)
            memory = files[0] if files else None
            if not head:
                raise Ended("the other end is closed")
            head += self._exactly(_LENGTH.size - len(head), end)
            message: Message = json.loads(self._exactly(_LENGTH.unpack(head)[0], end))
        except BaseException as error:
            if memory is not None:
                os.close(memory)
            if isinstance(error, (ConnectionResetError, TimeoutError)):
                raise Ended(f"the message breaks off: {error}") from None
            raise
        return message, memory

    def _exactly(self, count: int, end: float) -> bytes:
        found = bytearray()
        while len(found) < count:
            self._end.settimeout(max(end - time.monotonic(), 0.001))
            more = self._end.recv(count - len(found))
            if not more:
                raise Ended("the other end closed within a message")
            found += more
        return bytes(found)

    def close(self) -> None:
        """Close this end: the other sees it."""
        self._end.close()
