"""``verify certify``: sign what records show of a deployment."""

from __future__ import annotations

import argparse
import json
import shlex
import time
from pathlib import Path
from typing import Any

from kk3fast.certificate import CertificateError, Policy, load_policy
from kk3fast.certificate.policy import PER_BUILD, PRODUCTION, SIMULATION
from verify.certify.plan import commands
from verify.cli.deployed import add_deployment, deployed_here, deployment_of
from verify.cli.table import make_console
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify certify --new-key keys                 a key pair; its public half for policies
  python -m verify certify --new-policy policy.toml --public-key keys/kk3-key.pub
  python -m verify certify --plan --preset tiny --tp 2 --q 4 --widths 4,8 \\
      --words '--family normal --no-sequence' | sh -e     the runs that the builds need
  python -m verify certify evidence/*/*.json -o cert.json --policy policy.toml \\
      --key keys/kk3-key.pem --preset tiny --tp 2 --q 4 --widths 4,8

a certificate is written only if the records meet the policy for every build that the deployment
would launch; policy, format and threats: docs/certificates.md

exit codes: 0 written, 1 the evidence does not meet the policy, 2 could not be done
"""
TEMPLATE = """# What must have been checked before the gate opens (docs/certificates.md).
opens = "{opens}"
max_age_days = 30           # of the oldest evidence
max_validity_days = 90      # a certificate may be valid at most so long

[keys]                      # who may sign
{name} = "{public}"

[checks.layer]              # every build: each stage within its bound
evidence = "{evidence}"
{more}"""
MORE = """
[checks.replay]             # every build: graph replays, bit for bit
evidence = "hardware"

[checks.faults]             # the checks see planted faults
evidence = "simulated"

[checks.eval]               # accuracy off and on
evidence = "hardware"
margin_points = 1.0         # largest loss that must have been excluded
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "certify",
        help="sign what records show of a deployment",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("records", nargs="*", type=Path, metavar="RECORD", help="record files")
    p.add_argument("-o", "--out", type=Path, help="certificate file")
    p.add_argument("--key", type=Path, help="private key, see --new-key")
    p.add_argument("--policy", type=Path, help="policy file, see --new-policy")
    p.add_argument("--days", type=float, default=30.0, help="validity in days (default: 30)")
    p.add_argument(
        "--eval-on-hardware",
        action="store_true",
        help="state that the evals' servers ran on the target GPUs (a record cannot know it)",
    )
    add_deployment(p)
    plan = p.add_argument_group("plan")
    plan.add_argument(
        "--plan", action="store_true", help="print the commands whose records the builds need"
    )
    plan.add_argument(
        "--check",
        action="append",
        choices=PER_BUILD,
        help="with --plan: of this check, repeatable (default: layer, or those of --policy)",
    )
    plan.add_argument("--words", default="", help="with --plan: words to add to every command")
    make = p.add_argument_group("keys and policies")
    make.add_argument("--new-key", type=Path, metavar="DIR", help="make a key pair in DIR")
    make.add_argument("--new-policy", type=Path, metavar="FILE", help="write a policy to edit")
    make.add_argument(
        "--opens",
        choices=(SIMULATION, PRODUCTION),
        default=SIMULATION,
        help="with --new-policy: what it opens (default: simulation)",
    )
    make.add_argument("--public-key", type=Path, help="with --new-policy: whom it trusts")
    p.add_argument("--json", action="store_true", help="print the outcome as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify certify``."""
    try:
        if arguments.new_key is not None:
            return _new_key(arguments)
        if arguments.new_policy is not None:
            return _new_policy(arguments)
        if arguments.plan:
            return _plan(arguments)
        return _certify(arguments)
    except ImportError as error:
        told = f"signing needs cryptography: pip install 'kk3[certify]' ({error})"
        raise UsageError(told) from error


def _new_key(arguments: argparse.Namespace) -> int:
    from kk3fast.certificate.keys import key_id, new_key, public_bytes

    try:
        private, public = new_key(arguments.new_key)
        text = public.read_text().strip()
        name = key_id(public_bytes(text))
    except CertificateError as error:
        raise UsageError(str(error)) from error
    _tell(
        arguments,
        {"key": name, "private": str(private), "public": str(public), "public_key": text},
        f"key {name}: {private} (keep it), {public}",
    )
    return 0


def _new_policy(arguments: argparse.Namespace) -> int:
    from kk3fast.certificate.policy import parse_policy

    if arguments.public_key is None:
        raise UsageError("--new-policy needs --public-key: a .pub file of --new-key")
    try:
        text = arguments.public_key.read_text().strip()
    except OSError as error:
        raise UsageError(f"--public-key {arguments.public_key}: {error.strerror}") from error
    real = arguments.opens == PRODUCTION
    content = TEMPLATE.format(
        opens=arguments.opens,
        name="signer",
        public=text,
        evidence="hardware" if real else "simulated",
        more=MORE if real else "",
    )
    try:
        parse_policy(content.encode())
        with arguments.new_policy.open("x") as file:
            file.write(content)
    except CertificateError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"--new-policy {arguments.new_policy}: {error.strerror}") from error
    _tell(arguments, {"policy": str(arguments.new_policy)}, f"policy: {arguments.new_policy}")
    return 0


def _plan(arguments: argparse.Namespace) -> int:
    deployment = deployment_of(arguments)
    checks = arguments.check or ["layer"]
    if arguments.policy is not None and not arguments.check:
        checks = [name for name in policy_of(arguments.policy).checks if name in PER_BUILD]
    named = [n for n in ("preset", "config", "checkpoint") if getattr(arguments, n)]
    model = [word for n in named for word in (f"--{n}", str(getattr(arguments, n)))]
    lines = list(commands(deployment, model, checks, shlex.split(arguments.words)))
    _tell(arguments, {"commands": lines}, "\n".join(lines))
    return 0


def _certify(arguments: argparse.Namespace) -> int:
    from kk3fast.certificate.keys import private_key
    from verify.certify import certify, evidence_of
    from verify.data.store import write_atomic

    missing = [f"--{n}" for n in ("out", "key", "policy") if getattr(arguments, n) is None]
    if not arguments.records:
        missing.insert(0, "RECORD…")
    if missing:
        raise UsageError(f"certify needs {', '.join(missing)}")
    policy = policy_of(arguments.policy)
    evidence, reasons = evidence_of(arguments.records, arguments.eval_on_hardware)
    console = make_console(stderr=arguments.json)
    try:
        key = private_key(arguments.key)
        if reasons:
            raise CertificateError(reasons)
        deployed = deployed_here(arguments, console)
        data = certify(evidence, deployed, policy, key, time.time(), arguments.days)
    except CertificateError as error:
        found = [{"code": r.code, "sentence": r.sentence} for r in error.reasons]
        lines = "\n".join(f"  - {r}" for r in error.reasons)
        unusable = all(r.code.startswith(("key.private", "key.permissions")) for r in error.reasons)
        _tell(arguments, {"written": None, "reasons": found}, f"not certified:\n{lines}")
        return 2 if reasons or unusable else 1
    try:
        write_atomic(arguments.out, data.decode())
    except OSError as error:
        raise UsageError(f"--out {arguments.out}: {error.strerror}") from error
    told = f"{len(evidence)} records, {len(deployed.builds)} builds"
    _tell(
        arguments,
        {"written": str(arguments.out), "opens": policy.opens, "reasons": []},
        f"certificate: {arguments.out} ({told}, opens {policy.opens})",
    )
    return 0


def policy_of(path: Path) -> Policy:
    """Read a policy for a command.

    Raises:
        UsageError: lists every reason.
    """
    try:
        return load_policy(path)
    except OSError as error:
        raise UsageError(f"--policy {path}: {error.strerror or error}") from error
    except CertificateError as error:
        lines = "\n".join(f"  - {r}" for r in error.reasons)
        raise UsageError(f"--policy {path}:\n{lines}") from error


def _tell(arguments: argparse.Namespace, found: dict[str, Any], text: str) -> None:
    print(json.dumps(found, indent=2) if arguments.json else text)
