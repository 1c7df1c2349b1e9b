"""``verify certify --new-key`` and ``--new-policy``."""

from __future__ import annotations

import argparse
from importlib.resources import files
from string import Template

from kk3fast.certificate import CertificateError
from kk3fast.certificate.keys import key_id, new_key, public_bytes
from kk3fast.certificate.policy import parse_policy
from verify.cli.output import tell
from verify.step import UsageError


def make_key(arguments: argparse.Namespace) -> int:
    """A key pair in a folder."""
    try:
        private, public = new_key(arguments.new_key)
        text = public.read_text().strip()
        name = key_id(public_bytes(text))
    except CertificateError as error:
        raise UsageError(str(error)) from error
    tell(
        arguments,
        {"key": name, "private": str(private), "public": str(public), "public_key": text},
        f"key {name}: {private} (keep it), {public}",
    )
    return 0


def make_policy(arguments: argparse.Namespace) -> int:
    """A policy to edit, out of ``verify/certify/policies``."""
    if arguments.public_key is None:
        raise UsageError("--new-policy needs --public-key: a .pub file of --new-key")
    template = files("verify.certify") / "policies" / f"{arguments.opens}.toml"
    try:
        text = arguments.public_key.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--public-key {arguments.public_key}: {error}") from error
    content = Template(template.read_text("utf-8")).substitute(public_key=text)
    try:
        public_bytes(text)
        parse_policy(content.encode())
        with arguments.new_policy.open("x") as file:
            file.write(content)
    except CertificateError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"--new-policy {arguments.new_policy}: {error.strerror}") from error
    tell(arguments, {"policy": str(arguments.new_policy)}, f"policy: {arguments.new_policy}")
    return 0
