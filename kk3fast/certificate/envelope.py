"""DSSE envelopes: a payload, its type and its signatures.

The format is that of the DSSE protocol, version 1 (secure-systems-lab/dsse): the signature is over
``"DSSEv1" SP len(type) SP type SP len(payload) SP payload``. The payload is not looked at before a
trusted key's signature over it holds.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kk3fast.certificate.keys import key_id, public_key, raw_public
from kk3fast.certificate.reason import CertificateError
from kk3fast.certificate.strict_json import MAX_BYTES, parse

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
MAX_SIGNATURES = 8
_KEY_ID = re.compile(r"[0-9a-f]{16}")


def _signed(payload: bytes) -> bytes:
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, key: Ed25519PrivateKey) -> bytes:
    """A signed envelope, as JSON."""
    signature = {
        "keyid": key_id(raw_public(key)),
        "sig": base64.b64encode(key.sign(_signed(payload))).decode(),
    }
    envelope = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [signature],
    }
    return (json.dumps(envelope, indent=1) + "\n").encode()


def unseal(data: bytes, trusted: Mapping[str, bytes]) -> tuple[bytes, str]:
    """The payload of an envelope that a trusted key has signed, and that key's name.

    Args:
        trusted: raw public keys by their names.

    Raises:
        CertificateError: it is no envelope, or no trusted key's signature holds.
    """
    from cryptography.exceptions import InvalidSignature

    payload, signatures = _parts(parse(data, "the certificate", MAX_BYTES))
    message, wrong, unknown = _signed(payload), [], []
    for name, signature in signatures:
        if name not in trusted:
            unknown.append(name)
            continue
        try:
            public_key(trusted[name]).verify(signature, message)
        except InvalidSignature:
            wrong.append(name)
        else:
            return payload, name
    if wrong:
        told = f"the signature of key {', '.join(wrong)} does not hold: it was changed since"
        raise CertificateError.of("signature.wrong", told)
    names = ", ".join(sorted(trusted)) or "none"
    told = f"signed by {', '.join(unknown)}, the policy trusts {names}"
    raise CertificateError.of("signature.untrusted", told)


def _parts(envelope: Any) -> tuple[bytes, list[tuple[str, bytes]]]:
    try:
        if set(envelope) != {"payload", "payloadType", "signatures"}:
            raise ValueError("it must have payload, payloadType and signatures alone")
        if envelope["payloadType"] != PAYLOAD_TYPE:
            raise ValueError(f"payloadType must be {PAYLOAD_TYPE}")
        if not 1 <= len(envelope["signatures"]) <= MAX_SIGNATURES:
            raise ValueError(f"it must have 1 to {MAX_SIGNATURES} signatures")
        signatures = []
        for entry in envelope["signatures"]:
            if set(entry) != {"keyid", "sig"} or not _KEY_ID.fullmatch(entry["keyid"]):
                raise ValueError("a signature must have sig and a keyid of 16 hex digits")
            signatures.append((entry["keyid"], _decoded(entry["sig"])))
        return _decoded(envelope["payload"]), signatures
    except (AttributeError, KeyError, TypeError, ValueError, binascii.Error) as error:
        raise CertificateError.of("certificate.envelope", f"no DSSE envelope: {error}") from None


def _decoded(text: str) -> bytes:
    """Base64 in its one canonical form: bits that carry nothing must be zero."""
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("its base64 is not canonical")
    return data
