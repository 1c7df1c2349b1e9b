"""Ed25519 keys: made, kept, named.

``cryptography`` does the arithmetic. It is imported when a key is used, so that reading a policy
needs none.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from kk3fast.certificate.reason import CertificateError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PRIVATE, PUBLIC = "kk3-key.pem", "kk3-key.pub"


def key_id(public: bytes) -> str:
    """Name of a public key: the first 16 hex digits of the sha256 of its 32 raw bytes."""
    return hashlib.sha256(public).hexdigest()[:16]


def public_bytes(text: str) -> bytes:
    """The 32 raw bytes of a public key written in base64.

    Raises:
        CertificateError: it is not such a text.
    """
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 32:
        problem = f"a public key must be 32 bytes in base64, got {text[:60]!r}"
        raise CertificateError.of("key.public", problem)
    return raw


def public_key(raw: bytes) -> Ed25519PublicKey:
    """The key of 32 raw bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(raw)


def raw_public(key: Ed25519PrivateKey) -> bytes:
    """A private key's public half, 32 raw bytes."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def new_key(folder: Path) -> tuple[Path, Path]:
    """Make a key pair: PKCS#8 PEM readable by its owner alone, and the public half in base64.

    Raises:
        CertificateError: one of the files is there already, or the folder cannot be written.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    private, public = folder / PRIVATE, folder / PUBLIC
    there = [str(path) for path in (private, public) if path.exists()]
    if there:
        raise CertificateError.of("key.exists", f"{', '.join(there)}: not overwritten")
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    made: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = base64.b64encode(raw_public(key)) + b"\n"
        for path, data, mode in ((private, pem, 0o600), (public, text, 0o644)):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            made.append(path)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
    except OSError as error:
        for path in made:  # both halves or none
            path.unlink(missing_ok=True)
        raise CertificateError.of("key.write", f"{folder}: {error.strerror or error}") from None
    return private, public


def private_key(path: Path) -> Ed25519PrivateKey:
    """Read a private key.

    Raises:
        CertificateError: it is missing, no unencrypted Ed25519 key, or open to others.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        if path.stat().st_mode & 0o077:
            problem = f"{path} must be readable by its owner alone (chmod 600)"
            raise CertificateError.of("key.permissions", problem)
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise CertificateError.of("key.private", f"{path}: {error.strerror or error}") from None
    except (ValueError, TypeError) as error:
        raise CertificateError.of("key.private", f"{path} is no private key: {error}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise CertificateError.of("key.private", f"{path} must hold an Ed25519 key")
    return key
