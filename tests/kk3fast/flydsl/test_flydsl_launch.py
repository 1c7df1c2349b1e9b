import struct

import pytest
import torch
from kk3fast_flydsl_cases import Launched, bits, builds_of, case_of

from kk3fast import ops
from kk3fast.compile.isa import static_facts
from kk3fast.flydsl import geometry
from kk3fast.flydsl.build import BuildError, check_abi
from kk3fast.flydsl.k1 import K1Build
from kk3fast.flydsl.layers import FUSED
from kk3fast.flydsl.layout import total_bytes
from kk3fast.launch import Kernel, LaunchError, pack
from verify.run import output_storage

BUILD = K1Build(
    rows=4, query_rows=2, blocks=2, hidden=256, heads=4, head_dim=32, in_rows=560, state_entries=4,
    workgroups=16,
)  # fmt: skip


class Recorder:
    """Stands in for the HIP runtime: keeps what would be loaded and launched."""

    def __init__(self):
        self.loads, self.launches = [], []

    def load(self, code, symbol, device):
        self.loads.append((code[:4], symbol, device))
        return self

    def launch(self, grid, block, packed, stream):
        self.launches.append((grid, block, packed, stream))


def values():
    return {
        a.name: torch.zeros(4, dtype=getattr(torch, a.dtype)) if a.is_pointer else 7
        for a in BUILD.arguments()
    }


def test_a_code_object_is_compiled_and_loaded_once_and_launched_often(monkeypatch):
    recorder = Recorder()
    kernel = Kernel(BUILD, recorder)
    traced = []
    original = K1Build.launcher
    monkeypatch.setattr(K1Build, "launcher", lambda self: traced.append(1) or original(self))
    kernel.compile_only()
    for _ in range(3):
        kernel.load(0)
        kernel.launch(5, 0, **values())
    kernel.load(1)
    assert len(traced) <= 1
    assert [(code, device) for code, _, device in recorder.loads] == [
        (b"\x7fELF", 0),
        (b"\x7fELF", 1),
    ]
    assert len(recorder.launches) == 3
    grid, block, packed, stream = recorder.launches[0]
    assert (grid, block, stream) == ((16, 1, 1), (512, 1, 1), 5)
    facts = static_facts(kernel.compile_only().isa)
    assert -(-len(packed) // 8) * 8 == facts.kernarg_bytes
    assert recorder.loads[0][1] == facts.kernel


def test_arguments_are_packed_by_name_at_their_alignment():
    given = values()
    shuffled = dict(sorted(given.items(), reverse=True))
    packed = pack(BUILD.arguments(), shuffled, "k1")
    assert packed == pack(BUILD.arguments(), given, "k1")
    prefix, delta, blocks, row_stride, block_stride = struct.unpack_from("<qqqii", packed)
    assert (prefix, delta, blocks) == tuple(
        given[n].data_ptr() for n in ("prefix", "delta", "blocks")
    )
    assert (row_stride, block_stride) == (7, 7)


def test_wrong_arguments_are_listed_all_at_once_and_nothing_is_launched():
    recorder = Recorder()
    kernel = Kernel(BUILD, recorder)
    kernel.load(0)
    given = values() | {"prefix": torch.zeros(4), "slot": 1 << 31, "what": 3, "epoch": None}
    del given["core"]
    with pytest.raises(LaunchError) as caught:
        kernel.launch(0, 0, **given)
    for text in (
        "core is missing",
        "what is not an argument",
        "prefix must be bfloat16, got torch.float32",
        "slot must fit 32 bits",
        "epoch must be a tensor or an integer, got NoneType",
    ):
        assert text in str(caught.value)
    assert not recorder.launches


def test_a_kernel_must_be_loaded_first():
    with pytest.raises(LaunchError, match="load"):
        Kernel(BUILD, Recorder()).launch(0, 0, **values())


def test_the_table_must_name_the_launchers_parameters():
    class Other(K1Build):
        def arguments(self):
            return K1Build.arguments(self)[::-1]

    fields = dict(BUILD.parameters())
    with pytest.raises(BuildError, match="the launcher takes"):
        check_abi(Other(**fields), BUILD.launcher())


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"rows": 9}, "rows must be 1 to 8, got 9"),
        ({"query_rows": 3}, "query_rows must divide rows"),
        ({"in_rows": 100}, "in_rows must be a multiple of 16"),
        ({"plant": "gremlin"}, "plant must be one of"),
        ({"workgroups": 300}, "workgroups must be 1 to 256"),
        ({"eps": None}, "eps must be a scalar, got NoneType"),
    ],
    ids=lambda v: str(next(iter(v))) if isinstance(v, dict) else "",
)
def test_builds_refuse_what_does_not_fit(changed, reason):
    with pytest.raises(BuildError, match=reason):
        K1Build(**(dict(BUILD.parameters()) | changed))


def test_every_parameter_tells_builds_apart():
    keys = {BUILD.key()}
    for name, value in BUILD.parameters():
        if name == "plant":
            other = "x_not_drained"
        elif isinstance(value, bool):
            other = not value
        elif name == "in_rows":
            other = value + 16
        elif name in ("rows", "heads", "hidden", "head_dim"):
            continue
        else:
            other = value + 1 if name != "query_rows" else 4
        changed = dict(BUILD.parameters()) | {name: other}
        if name == "query_rows":
            changed["state_entries"] = 6
        keys.add(K1Build(**changed).key())
    assert len(keys) == len(BUILD.parameters()) - 4 + 1


def launch_values(case, memory):
    """K1's arguments on rank 0, and the buffers it writes."""
    storage = output_storage(case, 0)
    buffers = {name: g.tensor for name, g in storage.items()}
    launch = FUSED["k1"].launches(case.contexts, case.inputs, [buffers], {"workgroups": 16})[0]
    memory.update(
        scratch=torch.zeros(total_bytes(launch.build.scratch()), dtype=torch.uint8),
        epoch=torch.tensor([1, 0, 0, 0], dtype=torch.int32),
        health=torch.zeros(geometry.health_words(256), dtype=torch.int32),
    )
    provided = {**memory, "alarm": 0, "slot": launch.slot}
    return launch.build, {**launch.values[0], **provided}, buffers


def test_the_operator_runs_the_kernel_and_composes_with_compile():
    case = case_of("k1", rows=2, query_rows=1, tp=1)
    expected = Launched(case, workgroups=16).taps[0]
    build, given, buffers = launch_values(case, {})
    ops.call(build, **given)
    assert torch.equal(bits(buffers["core"]), bits(expected["core"]))

    build, given, buffers = launch_values(case, {})
    number, op = ops.register(build), ops.operator(build)
    names = [a.name for a in build.arguments()]

    @torch.compile(backend="aot_eager", fullgraph=True)
    def step(tensors, scale):
        op(number, *[tensors.get(n, given[n]) for n in names])
        return tensors["core"].float() * scale

    tensors = {n: v for n, v in given.items() if isinstance(v, torch.Tensor)}
    scaled = step(tensors, 2.0)
    assert torch.equal(bits(buffers["core"]), bits(expected["core"]))
    assert torch.equal(scaled, expected["core"].float() * 2.0)


def test_the_operator_names_what_is_wrong():
    with pytest.raises(LaunchError, match="prefix is missing"):
        ops.call(BUILD, slot=1)


def test_the_operators_fake_writes_nothing_and_its_schema_says_what_is_written():
    assert "Tensor(a0!) prefix" in ops.schema(BUILD)
    assert "Tensor delta" in ops.schema(BUILD)
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        given = [
            torch.empty(4, dtype=getattr(torch, a.dtype))
            if a.is_pointer and a.name != "alarm"
            else 0
            for a in BUILD.arguments()
        ]
        ops.operator(BUILD)(ops.register(BUILD), *given)


def test_a_kernel_that_talks_to_other_ranks_has_an_operator_and_is_not_run_alone():
    case = case_of("k2", rows=1, query_rows=1, tp=2)
    (build,) = builds_of(case)
    assert "Tensor peers, int rank" in ops.schema(build)
    assert "!) out" in ops.schema(build)
    given = {
        a.name: torch.zeros(4, dtype=getattr(torch, a.dtype))
        if a.is_pointer and a.name != "alarm"
        else 0
        for a in build.arguments()
    }
    with pytest.raises(ValueError, match="k2 talks to other ranks"):
        ops.call(build, **given)
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        fakes = {n: mode.from_tensor(v) if torch.is_tensor(v) else v for n, v in given.items()}
        ops.call(build, **fakes)
