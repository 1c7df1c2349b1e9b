"""Compile every recorded build of vLLM's kernels and compare IR and ISA digests.

    python benchmarks/peer_digests.py            # all 61, a few minutes on one core

Exit codes: 0 every digest equal, 1 some differ, 2 could not check.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from kk3fast.compile import CompileError, ToolchainError
from kk3fast.peers import vllm

RECORD = Path(__file__).parents[1] / "tests" / "kk3fast" / "data" / "vllm_builds.json"


def main() -> int:
    """Print one line a build and the totals."""
    equal, wrong, times = 0, [], {"trace": 0.0, "lower": 0.0, "isa": 0.0}
    builds = json.loads(RECORD.read_text())["builds"]
    start = time.perf_counter()
    for row in builds:
        key = vllm.VllmBuild(**row["build"])
        try:
            artefact = vllm.build(key)
        except ToolchainError as error:
            print(f"could not check: {error}", file=sys.stderr)
            return 2
        except CompileError as error:
            wrong.append(f"{key}: {error}")
            continue
        found = artefact.identity
        same = (found.ir_sha256, found.isa_sha256) == (row["ir_sha256"], row["isa_sha256"])
        equal += same
        if not same:
            wrong.append(f"{key}: IR {found.ir_sha256}, ISA {found.isa_sha256}")
        for name in times:
            times[name] += artefact.timings[name]
        steps = ", ".join(f"{n} {artefact.timings[n]:.2f} s" for n in times)
        print(f"{'equal' if same else 'DIFFERENT'}  {row['symbol']}  {steps}", flush=True)
    print("\n".join(wrong))
    steps = ", ".join(f"{n} {t:.0f} s" for n, t in times.items())
    print(f"{equal} of {len(builds)} equal in {time.perf_counter() - start:.0f} s ({steps})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
