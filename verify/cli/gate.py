"""``verify gate``: what a certificate would open, and every reason why not."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from kk3fast.certificate import CertificateError, Policy, Verdict, judge, read_certificate
from kk3fast.certificate.strict_json import MAX_BYTES
from verify.certify.deployment import write_deployed
from verify.cli.certify import policy_of
from verify.cli.deployed import add_deployment, deployed_here
from verify.cli.table import make_console
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify gate cert.json --policy policy.toml --preset tiny --tp 2 --q 4 --widths 4,8
  python -m verify gate cert.json --policy policy.toml --deployed deployed.json --json
  python -m verify gate cert.json --policy policy.toml --preset tiny --records evidence/*/*.json
  python -m verify gate --describe deployed.json --preset production --q 8

exit codes: 0 it opens what the policy says, 1 refused, 2 could not be judged
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "gate",
        help="what a certificate would open for a deployment",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("certificate", nargs="?", type=Path, help="certificate file")
    p.add_argument("--policy", type=Path, help="policy file")
    p.add_argument(
        "--describe", type=Path, metavar="FILE", help="only write what would be launched to FILE"
    )
    p.add_argument(
        "--records",
        nargs="+",
        type=Path,
        default=[],
        metavar="RECORD",
        help="the record files it was made of: each must be there and say what it is cited for",
    )
    add_deployment(p)
    p.add_argument("--json", action="store_true", help="print the verdict as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify gate``."""
    console = make_console(stderr=arguments.json)
    if arguments.describe is not None:
        deployed = deployed_here(arguments, console)
        try:
            write_deployed(deployed, arguments.describe)
        except OSError as error:
            raise UsageError(f"--describe {arguments.describe}: {error.strerror}") from error
        found = {"described": str(arguments.describe), "builds": len(deployed.builds)}
        text = f"{len(deployed.builds)} builds: {arguments.describe}"
        print(json.dumps(found, indent=2) if arguments.json else text)
        return 0
    missing = [n for n in ("certificate", "policy") if getattr(arguments, n) is None]
    if missing:
        raise UsageError("gate needs a certificate file and --policy, or --describe FILE")
    policy = policy_of(arguments.policy)
    try:
        with arguments.certificate.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{arguments.certificate}: {error.strerror or error}") from error
    deployed = deployed_here(arguments, console)
    try:
        verdict = judge(data, policy, deployed, time.time())
        if arguments.records:
            verdict = _with_records(verdict, data, policy, arguments.records)
    except ImportError as error:
        told = f"a signature needs cryptography: pip install 'kk3[certify]' ({error})"
        raise UsageError(told) from error
    if arguments.json:
        reasons = [{"code": r.code, "sentence": r.sentence} for r in verdict.reasons]
        answer = {"opens": verdict.opens, "key": verdict.key, "reasons": reasons}
        print(json.dumps(answer, indent=2))
    elif verdict.opens:
        signer = policy.key_names.get(verdict.key, verdict.key)
        print(f"opens {verdict.opens} ({len(deployed.builds)} builds, signed by {signer})")
    else:
        print("refused:\n" + "\n".join(f"  - {reason}" for reason in verdict.reasons))
    return 0 if verdict.opens else 1


def _with_records(verdict: Verdict, data: bytes, policy: Policy, paths: list[Path]) -> Verdict:
    """The verdict, with the certificate's records looked up."""
    from verify.certify.recheck import record_reasons

    try:
        statement, _ = read_certificate(data, policy)
    except CertificateError:
        return verdict  # its reasons are there
    reasons = (*verdict.reasons, *record_reasons(statement.evidence, paths))
    return Verdict(None if reasons else verdict.opens, reasons, verdict.key)
