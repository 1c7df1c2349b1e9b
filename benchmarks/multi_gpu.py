"""The fused layers' all-reduce between processes, one a GPU of one host.

    python -m benchmarks.multi_gpu [NAME…] [--tp N] [--share-gpu] [--folder DIR]

Needs N GPUs and the extra ``triton``; with ``--share-gpu`` all processes take turns on one GPU,
which checks everything but the links. Runs the commands whose names contain one of the words given
under torchrun, one after the other, and keeps their records and logs in DIR. Exit code 1 if a
check fails, 2 if one could not be made (shared GPUs: no link was crossed).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from benchmarks.gpu_checks import EXPERTS
from kk3ref.presets import preset

K2 = ["k2", "--candidate", "triton", "--device", "cuda"]
FEW = f"production shapes, {EXPERTS} experts"
CHECKS: dict[str, list[str]] = {
    "layer tiny": ["layer", *K2, "--preset", "tiny"],
    "layer production": ["layer", *K2, "--preset", "production", "--family", "normal"],
    "replay tiny": ["replay", *K2, "--preset", "tiny"],
    f"replay {FEW}": ["replay", *K2, "--config", "{config}"],
    "bench": ["bench", "layer", "k2"],
}
CODES = {"pass": 0, "fail": 1, "not_checked": 2}


def main() -> int:
    """Run what was asked for and print it as Markdown."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("names", nargs="*", help="parts of names")
    p.add_argument("--tp", type=int, default=torch.cuda.device_count(), help="ranks")
    p.add_argument("--share-gpu", action="store_true", help="all ranks' processes on one GPU")
    p.add_argument("--folder", type=Path, default=Path("out/multi_gpu"), help="records and logs")
    p.add_argument("--limit", type=float, default=900.0, help="seconds a command may take")
    arguments = p.parse_args()
    if arguments.tp < 2:
        p.error(f"--tp must be 2 or more, got {arguments.tp}")
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.json"
    config.write_text(json.dumps(replace(preset("production"), num_experts=EXPERTS).to_hf()))
    words = arguments.names
    chosen = {n: c for n, c in CHECKS.items() if not words or any(w in n for w in words)}
    print(
        f"{arguments.tp} processes, {torch.cuda.device_count()} × {torch.cuda.get_device_name(0)}"
    )
    print("\n| check | verdict | not passed | s |\n|---|---|---|---|", flush=True)
    verdicts = []
    for name, command in chosen.items():
        stem = folder / re.sub(r"[ ,]+", "-", name)
        line = [w.format(config=config) for w in command] + ["--tp", str(arguments.tp)]
        line += ["--share-gpu"] if arguments.share_gpu else []
        line += [] if "bench" in name else ["--out", str(stem)]
        started = time.perf_counter()
        code = run(line, arguments.tp, stem.with_suffix(".log"), arguments.limit)
        verdict, told = outcome(stem, code)
        seconds = time.perf_counter() - started
        print(f"| {name} | {verdict} | {told} | {seconds:.0f} |", flush=True)
        verdicts.append(verdict)
    return next((CODES[v] for v in ("fail", "not_checked") if v in verdicts), 0)


def run(words: list[str], tp: int, log: Path, limit: float) -> int:
    """A command under torchrun; its exit code, or 124 after ``limit`` seconds."""
    start = ["torch.distributed.run", "--standalone", "--nproc-per-node", str(tp), "-m", "verify"]
    with log.open("wb") as file:
        try:
            done = subprocess.run(
                [sys.executable, "-m", *start, *words],
                stdout=file,
                stderr=file,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 124
    return done.returncode


def outcome(folder: Path, code: int) -> tuple[str, str]:
    """Verdict of the records in a folder, and the checks that did not pass.

    torchrun ends with 1 whatever its processes ended with, so the records are asked.
    """
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not paths:
        log = folder.with_suffix(".log")
        if code == 0:
            return "pass", ""
        could_not = re.search(r"exitcode\s*:\s*2\b", log.read_text(errors="replace"))
        return ("not_checked" if could_not else "fail"), f"see {log.name}"
    verdicts, told = [], []
    for path in paths:
        record = json.loads(path.read_text())
        verdicts.append(record["verdict"])
        checks = [*record.get("layer_checks", ()), *record.get("checks", ())]
        told += [c["name"] for c in checks if c["verdict"] != "pass"]
    worst = next((v for v in ("fail", "not_checked") if v in verdicts), "pass")
    return worst, ", ".join(dict.fromkeys(told))


if __name__ == "__main__":
    sys.exit(main())
