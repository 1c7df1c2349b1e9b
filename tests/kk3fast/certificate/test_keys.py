"""Key files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from kk3fast.certificate import CertificateError
from kk3fast.certificate.keys import key_id, new_key, private_key, public_bytes, raw_public


def test_a_pair_is_made_once_and_reads_back(tmp_path: Path) -> None:
    private, public = new_key(tmp_path / "keys")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    raw = raw_public(private_key(private))
    assert raw == public_bytes(public.read_text().strip())
    assert len(key_id(raw)) == 16
    with pytest.raises(CertificateError, match="not overwritten"):
        new_key(tmp_path / "keys")


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    private, _ = new_key(tmp_path)
    private.chmod(0o644)
    with pytest.raises(CertificateError, match="owner alone"):
        private_key(private)


@pytest.mark.parametrize(
    "text", ["", "no key", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----"]
)
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key.pem"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(CertificateError, match=r"key\.private"):
        private_key(path)


def test_half_a_pair_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = os.open

    def fails(path: Path, *rest: Any) -> int:
        if Path(path).suffix == ".pub":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return made(path, *rest)

    monkeypatch.setattr("kk3fast.certificate.keys.os.open", fails)
    with pytest.raises(CertificateError, match="No space left"):
        new_key(tmp_path)
    assert not list(tmp_path.iterdir())
