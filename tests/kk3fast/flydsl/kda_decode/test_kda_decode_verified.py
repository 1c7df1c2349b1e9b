from dataclasses import replace

import pytest
from kk3fast_flydsl_cases import SCHEDULES, Launched, case_of, complaints, differing, verified

from kk3fast.compile import static_facts
from kk3fast.flydsl.kda_decode.build import KdaDecodeBuild
from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.inputs import build_case
from verify.layers import LAYERS
from verify.step import Step

KIND = "kda-decode"
LEN_FIRST = LayerOptions(conv_dim_first=False)


def a_case(requests=4, **options):
    return case_of(KIND, rows=requests, query_rows=1, **options)


@pytest.mark.parametrize("requests", [1, 2, 3, 8], ids=lambda n: f"{n} requests")
def test_outputs_and_states_pass_sanitized(requests):
    record = verified(a_case(requests, options=LEN_FIRST))
    assert not complaints(record)
    assert record.verdict.value == "pass"


def test_64_requests_some_of_them_padding():
    """More than a step of the command line has."""
    step = Step(drafts=0, requests=64, padded=5, accepted=(1,) * 64)
    config = preset("small")
    layer, source = LAYERS[KIND].make(LEN_FIRST), SyntheticWeights(config)
    index = LAYERS[KIND].default_indices(config)[0]
    case = build_case(layer, source, index, 8, step, 0, "padded", options=LEN_FIRST)
    assert not complaints(verified(case))


@pytest.mark.parametrize("tp", [1, 4, 8])
@pytest.mark.parametrize("size", ["tiny", "small"])
def test_tensor_parallel_sizes(size, tp):
    assert not complaints(verified(a_case(2, tp=tp, size=size)))


def test_production_shapes_at_tp8():
    assert not complaints(verified(a_case(2, tp=8, size="production", options=LEN_FIRST)))


@pytest.mark.parametrize("dim_first", [True, False], ids=["dim first", "len first"])
@pytest.mark.parametrize("padded", [1, 3])
def test_padding_requests(padded, dim_first):
    options = LayerOptions(conv_dim_first=dim_first)
    assert not complaints(verified(a_case(padded=padded, family="padded", options=options)))


@pytest.mark.parametrize("family", ["heavy-tails", "tiny", "saturating", "zero-keys", "slow-decay"])
def test_input_families(family):
    assert not complaints(verified(a_case(family=family)))


def test_the_softplus_gate():
    """No preset has it."""
    config = replace(preset("tiny"), gate_lower_bound=None)
    layer, step = LAYERS[KIND].make(LEN_FIRST), Step(drafts=0, requests=3, accepted=(1,) * 3)
    index = LAYERS[KIND].default_indices(config)[0]
    case = build_case(layer, SyntheticWeights(config), index, 2, step, 0, options=LEN_FIRST)
    record = verified(case)
    assert not complaints(record)
    assert record.verdict.value == "pass"


@pytest.mark.parametrize("schedule", SCHEDULES[1:], ids=lambda s: s.describe())
def test_schedules_do_not_move_a_bit(schedule):
    case = a_case(size="small")
    assert not differing(Launched(case), Launched(case, schedule))


def test_bytes_are_those_that_must_move():
    requests, case = 3, a_case(3, size="small", tp=2)
    result = Launched(case).result
    heads, dim = 8, 128
    state = 2 * 4 * dim * dim
    conv = 3 * dim * (2 * 3 + 2 * 3 + 2 + 16)  # window in and out, input, weights
    # g1, gate, bf16; bias, norm weight, fp32; the output
    channels = dim * (2 + 2 + 4 + 4 + 2)
    necessary = requests * heads * (state + conv + channels)
    uniform = requests * heads * 8 * (4 + 4 + 2)  # slot, a_log and beta, once a wave
    launch = result.launches[0]
    policies = ("plain", "nt", "device", "system")
    moved = sum(launch.total(f"{way}_{how}") for way in ("load", "store") for how in policies)
    assert moved == necessary + uniform
    assert result.longest_chain == 0


@pytest.mark.parametrize("heads", [12, 24, 48, 96])
def test_registers_of_the_production_builds(heads):
    facts = static_facts(KdaDecodeBuild(heads=heads).compile().isa)
    assert facts.vgpr_spills == facts.sgpr_spills == facts.scratch_bytes == 0
    assert facts.vgpr <= 96
    assert facts.workgroups_per_cu >= 2
