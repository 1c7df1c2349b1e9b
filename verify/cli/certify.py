"""``verify certify``: sign what records show of a deployment."""

from __future__ import annotations

import argparse
import shlex
import time
from pathlib import Path
from typing import Any

from kk3fast.certificate import CertificateError, Policy, load_policy
from kk3fast.certificate.checks import LAYER, OPENS, PER_BUILD, SIMULATED, SIMULATION, Required
from verify.certify.plan import commands
from verify.cli.deployed import add_deployment, deployed_here, deployment_of
from verify.cli.output import tell
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
    add_deployment(p)
    plan = p.add_argument_group("plan")
    plan.add_argument(
        "--plan", action="store_true", help="print the commands whose records the builds need"
    )
    plan.add_argument(
        "--check",
        action="append",
        choices=PER_BUILD,
        help="with --plan: of this check, repeatable (default: layer, or all of --policy)",
    )
    plan.add_argument("--words", default="", help="with --plan: words to add to every command")
    make = p.add_argument_group("keys and policies")
    make.add_argument("--new-key", type=Path, metavar="DIR", help="make a key pair in DIR")
    make.add_argument("--new-policy", type=Path, metavar="FILE", help="write a policy to edit")
    make.add_argument(
        "--opens",
        choices=OPENS,
        default=SIMULATION,
        help="with --new-policy: what it opens (default: simulation)",
    )
    make.add_argument("--public-key", type=Path, help="with --new-policy: whom it trusts")
    p.add_argument("--json", action="store_true", help="print the outcome as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify certify``."""
    try:
        from verify.cli.certify_new import make_key, make_policy

        if arguments.new_key is not None:
            return make_key(arguments)
        if arguments.new_policy is not None:
            return make_policy(arguments)
        if arguments.plan:
            return _plan(arguments)
        return _certify(arguments)
    except ImportError as error:
        told = f"signing needs cryptography: pip install 'kk3[certify]' ({error})"
        raise UsageError(told) from error


def _plan(arguments: argparse.Namespace) -> int:
    deployment = deployment_of(arguments)
    checks = {name: Required(SIMULATED) for name in arguments.check or [LAYER]}
    if arguments.policy is not None and not arguments.check:
        checks = dict(policy_of(arguments.policy).checks)
    named = [n for n in ("preset", "config", "checkpoint") if getattr(arguments, n)]
    model = [word for n in named for word in (f"--{n}", str(getattr(arguments, n)))]
    lines = list(commands(deployment, model, checks, shlex.split(arguments.words)))
    tell(arguments, {"commands": lines}, "\n".join(lines))
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
    evidence, reasons = evidence_of(arguments.records)
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
        tell(arguments, {"written": None, "reasons": found}, f"not certified:\n{lines}")
        return 2 if reasons or unusable else 1
    try:
        write_atomic(arguments.out, data.decode())
    except OSError as error:
        raise UsageError(f"--out {arguments.out}: {error.strerror}") from error
    told = f"{len(evidence)} records, {len(deployed.builds)} builds"
    tell(
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
