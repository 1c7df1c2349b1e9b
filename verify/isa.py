"""What is known of compiled builds: identity, static facts, simulated counts, predicted time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.inputs import build_case
from verify.layers import LAYERS
from verify.run import output_storage
from verify.step import Step, UsageError


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
    kernels: Iterable[str],
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
    from kk3fast.peers import vllm

    cache = ArtefactCache()
    reports = []
    for build in vllm.production_builds(rows, drafts + 1):
        if build.kernel not in kernels:
            continue
        name = _name(build.kernel, build.rows, build.nblocks, build.write_index, build.reset)
        progress(f"compile vllm {name}")
        report = _report("vllm", name, vllm.build(build, cache=cache))
        if simulate and build.nblocks == 8 and not build.reset and build.write_index < 0:
            progress(f"simulate vllm {name}")
            report = _counted(report, _run_vllm(build.kernel, rows, drafts))
        reports.append(report)
    return reports


def flydsl_builds(
    kernels: Iterable[str],
    rows: int,
    drafts: int,
    simulate: bool,
    progress: Callable[[str], None],
) -> list[BuildReport]:
    """Our builds for every different layer of the production model at a width.

    The launches of a layer with all blocks are simulated if asked for.

    Raises:
        CompileError: a build does not compile here.
    """
    from kk3fast.compile import ArtefactCache

    cache = ArtefactCache()
    reports: dict[Any, BuildReport] = {}
    for kernel in kernels:
        for index, plain in _layers(kernel):
            launches = []
            if simulate and plain:
                progress(f"simulate flydsl {kernel}")
                launches = _run_own(*_case(kernel, index, rows, drafts, ranks=8))
            for position, build in enumerate(_own_builds(kernel, index, rows, drafts)):
                if build not in reports:
                    name = _own_name(build)
                    progress(f"compile flydsl {name}")
                    reports[build] = _report("flydsl", name, build.compile(isa=True, cache=cache))
                if launches:
                    reports[build] = _counted(reports[build], launches[position])
    return list(reports.values())


def _layers(kernel: str) -> list[tuple[int, bool]]:
    """Decoder layers of the production model that differ for a kernel; which has all blocks."""
    config = preset("production")
    found: dict[tuple[int, bool], int] = {}
    for index in LAYERS[kernel].indices(config):
        layer = config.layer(index)
        if layer.num_blocks:
            found.setdefault((layer.num_blocks, layer.writes_block), index)
    return [(i, blocks == 8 and not writes) for (blocks, writes), i in sorted(found.items())]


def _own_builds(kernel: str, index: int, rows: int, drafts: int) -> list[Any]:
    from kk3fast.flydsl.layers import FUSED

    case, buffers = _case(kernel, index, rows, drafts, ranks=8)
    launches = FUSED[kernel].launches(case.contexts, case.inputs, buffers, {})
    return [launch.build for launch in launches]


def _own_name(build: Any) -> str:
    parameters = dict(build.parameters())
    blocks = parameters.get("blocks")
    write, reset = parameters.get("write_index", -1), bool(parameters.get("reset", False))
    if blocks is None:
        rows = f"{parameters['rows']} rows" if "rows" in parameters else "any number of rows"
        return f"{build.kernel} {rows}"
    return _name(build.kernel, parameters["rows"], blocks, write, reset)


def _name(kernel: str, rows: int, blocks: int, write: int, reset: bool) -> str:
    kind = ", reset" if reset else f", write {write}" if write >= 0 else ""
    return f"{kernel} {rows} rows, {blocks} blocks{kind}"


def _report(candidate: str, name: str, artefact: Any) -> BuildReport:
    from kk3fast.compile.isa import static_facts

    identity = json.loads(artefact.identity.to_json())
    return BuildReport(candidate, name, identity, asdict(static_facts(artefact.isa)))


def _case(
    kernel: str, index: int, rows: int, drafts: int, ranks: int
) -> tuple[Any, list[dict[str, Any]]]:
    """A step of a production layer, and its outputs and pools."""
    layer = LAYERS[kernel].make(LayerOptions())
    fixed = LAYERS[kernel].drafts
    step = Step.resolve(rows=rows, drafts=drafts if fixed is None else fixed)
    case = build_case(layer, SyntheticWeights(preset("production")), index, ranks, step, 0)
    storage = [output_storage(case, rank) for rank in case.ranks]
    return case, [{name: g.tensor for name, g in named.items()} for named in storage]


def _counted(report: BuildReport, launch: Any) -> BuildReport:
    """The report with the counts of a simulated launch of one rank."""
    from kk3fast.calibration import MODEL
    from kk3fast.cost import Work
    from kk3fast.sim import COUNTS

    totals = {name: launch.total(name) for name in COUNTS}
    handoffs = int(launch.depth.max())
    predicted = MODEL.predict_us(Work.of(totals, handoffs))
    return replace(report, counts=totals, handoffs=handoffs, predicted_us=predicted)


def _run_vllm(kernel: str, rows: int, drafts: int) -> Any:
    """Rank 0's simulated launch of a layer with all blocks."""
    from kk3fast.peers.vllm_simulated import simulate

    peer: Literal["k1", "k2"] = "k1" if kernel == "k1" else "k2"
    index = next(i for i, plain in _layers(kernel) if plain)
    case, buffers = _case(kernel, index, rows, drafts, ranks=8)
    return simulate(peer, case.contexts, case.inputs, buffers).result.launches[0]


def _run_own(case: Any, buffers: list[dict[str, Any]]) -> list[Any]:
    """Rank 0's simulated launches of a layer, in order."""
    from kk3fast.flydsl.layers import FUSED
    from kk3fast.flydsl.run import simulated
    from kk3fast.flydsl.run.memory import StepMemory

    launches = FUSED[case.layer.name].launches(case.contexts, case.inputs, buffers, {})
    memory = StepMemory.for_builds([launch.build for launch in launches], len(case.contexts))
    memory.begin_step()
    return [x for x in simulated.run(launches, memory).result.launches if x.rank == 0]


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
