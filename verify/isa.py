"""What is known of compiled builds: identity, static facts, simulated counts, predicted time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.inputs import build_case
from verify.layers import LAYERS
from verify.run import output_storage
from verify.step import Step, UsageError

Kernel = Literal["k1", "k2"]


@dataclass(frozen=True)
class BuildReport:
    """One build.

    Attributes:
        candidate: whose kernel.
        build: its name in tables.
        identity: digests and parameters.
        facts: static figures from the ISA text.
        counts: totals of a simulated launch of one rank, or None.
        handoffs: longest chain of dependent hand-offs, or None.
        predicted_us: predicted, not measured, time of a launch, or None.
    """

    candidate: str
    build: str
    identity: dict[str, Any]
    facts: dict[str, Any]
    counts: dict[str, int] | None = None
    handoffs: int | None = None
    predicted_us: float | None = None


def vllm_builds(
    kernels: Iterable[Kernel],
    rows: int,
    drafts: int,
    simulate: bool,
    progress: Callable[[str], None],
) -> list[BuildReport]:
    """Every build vLLM declares for a width; the one with all blocks is simulated if asked for.

    Raises:
        PeerSourcesError, CompileError: the sources are missing, or do not compile here.
    """
    from kk3fast.compile import ArtefactCache
    from kk3fast.compile.isa import static_facts
    from kk3fast.peers import vllm

    cache = ArtefactCache()
    reports = []
    for build in vllm.production_builds(rows, drafts + 1):
        if build.kernel not in kernels:
            continue
        name = _name(build)
        progress(f"compile {name}")
        artefact = vllm.build(build, cache=cache)
        assert artefact.isa is not None
        report = BuildReport(
            candidate="vllm",
            build=name,
            identity=json.loads(artefact.identity.to_json()),
            facts=asdict(static_facts(artefact.isa)),
        )
        if simulate and build.nblocks == 8 and not build.reset and build.write_index < 0:
            progress(f"simulate {name}")
            report = _simulated(report, build.kernel, rows, drafts)
        reports.append(report)
    return reports


def _name(build: Any) -> str:
    kind = (
        "reset" if build.reset else f"write {build.write_index}" if build.write_index >= 0 else ""
    )
    return f"{build.kernel} {build.rows} rows, {build.nblocks} blocks" + (
        f", {kind}" if kind else ""
    )


def _simulated(report: BuildReport, kernel: Kernel, rows: int, drafts: int) -> BuildReport:
    from kk3fast.calibration import MODEL
    from kk3fast.cost import Work
    from kk3fast.peers.vllm_simulated import simulate
    from kk3fast.sim import COUNTS

    config = preset("production")
    layer = LAYERS[kernel].make(LayerOptions())
    index = next(i for i in LAYERS[kernel].indices(config) if config.layer(i).num_blocks == 8)
    step = Step.resolve(rows=rows, drafts=drafts)
    case = build_case(layer, SyntheticWeights(config), index, 8, step, 0)
    storage = [output_storage(case, rank) for rank in case.ranks]
    buffers = [{name: g.tensor for name, g in named.items()} for named in storage]
    run = simulate(kernel, case.contexts, case.inputs, buffers)
    launch = run.result.launches[0]
    totals = {name: launch.total(name) for name in COUNTS}
    handoffs = int(launch.depth.max())
    return BuildReport(
        report.candidate,
        report.build,
        report.identity,
        report.facts,
        totals,
        handoffs,
        MODEL.predict_us(Work.of(totals, handoffs)),
    )


def earlier_builds(path: Path) -> dict[str, str]:
    """ISA sha256 → kernel of an earlier record: of ``verify isa --json`` or ``verify layer``.

    Raises:
        UsageError: the file is neither, or names no build.
    """
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise UsageError(f"--against {path}: must be a readable JSON record: {error}") from error
    builds: Any = data.get("builds") if isinstance(data, dict) else None
    found = {}
    for build in builds if isinstance(builds, list) else []:
        identity = build.get("identity", build) if isinstance(build, dict) else {}
        if isinstance(identity, dict) and identity.get("isa_sha256"):
            found[str(identity["isa_sha256"])] = str(identity.get("kernel", "?"))
    if not found:
        raise UsageError(f"--against {path}: names no build with an ISA sha256")
    return found
