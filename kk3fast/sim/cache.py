"""A small on-disk store of compiled objects: atomic writes, checksummed reads."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

_MAGIC = b"kk3sim1\n"


def default_folder() -> Path:
    """``$KK3_CACHE_DIR/sim``, else ``kk3/sim`` in the user's cache folder."""
    root = os.environ.get("KK3_CACHE_DIR")
    base = (
        Path(root)
        if root
        else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kk3"
    )
    return base / "sim"


class ObjectCache:
    """Bytes by key. An entry that is damaged or foreign is treated as absent."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def path(self, key: str) -> Path:
        """Where an entry lies."""
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()}.o"

    def load(self, key: str) -> bytes | None:
        """The entry's bytes, or None when it is absent, damaged or of another key."""
        try:
            raw = self.path(key).read_bytes()
        except OSError:
            return None
        head = len(_MAGIC)
        body = raw[head + 64 :]
        want = hashlib.sha256(key.encode() + b"\0" + body).hexdigest().encode()
        if raw[:head] != _MAGIC or raw[head : head + 64] != want:
            return None
        return body

    def store(self, key: str, body: bytes) -> None:
        """Write an entry whole or not at all; a folder that cannot be written is not an error."""
        digest = hashlib.sha256(key.encode() + b"\0" + body).hexdigest().encode()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + digest + body)
            os.replace(name, self.path(key))
        except OSError:
            return
