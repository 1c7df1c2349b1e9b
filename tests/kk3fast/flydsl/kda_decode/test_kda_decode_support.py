import pytest
import torch

from kk3fast.flydsl.build import BuildError
from kk3fast.flydsl.kda_decode.build import KdaDecodeBuild
from kk3fast.flydsl.kda_decode.mirrors import MirrorError, make_mirrors
from kk3fast.flydsl.kda_decode.support import is_fused_kda_decode_supported

PRODUCTION = {
    "num_heads": 12,
    "head_dim": 128,
    "conv_width": 4,
    "num_spec": 0,
    "input_dtype": torch.bfloat16,
    "conv_state_dtype": torch.bfloat16,
    "recurrent_state_dtype": torch.float32,
    "conv_state_dim_first": False,
    "architecture": "gfx950:sramecc+:xnack-",
}
OTHER = {
    "num_heads": (13, "heads"),
    "head_dim": (64, "head_dim"),
    "conv_width": (3, "width"),
    "num_spec": (1, "speculative"),
    "input_dtype": (torch.float16, "input"),
    "conv_state_dtype": (torch.float32, "conv state"),
    "recurrent_state_dtype": (torch.bfloat16, "recurrent state"),
    "conv_state_dim_first": (True, "[slots, len, dim]"),
    "architecture": ("gfx90a", "GPU"),
}


@pytest.mark.parametrize("heads", [12, 24, 48, 96])
@pytest.mark.parametrize("architecture", ["gfx942", "gfx950"])
def test_supported(heads, architecture):
    given = PRODUCTION | {"num_heads": heads, "architecture": architecture}
    assert is_fused_kda_decode_supported(**given) == (True, "")


@pytest.mark.parametrize("name", OTHER)
def test_each_condition_is_refused_alone(name):
    value, word = OTHER[name]
    ok, reason = is_fused_kda_decode_supported(**(PRODUCTION | {name: value}))
    assert not ok
    assert word in reason
    assert ";" not in reason


def test_every_reason_is_listed():
    ok, reason = is_fused_kda_decode_supported(**{n: value for n, (value, _) in OTHER.items()})
    assert not ok
    assert len(reason.split("; ")) == len(PRODUCTION)


@pytest.mark.parametrize("architecture", ["gfx942", "gfx950"])
def test_it_compiles_for_what_is_supported(architecture):
    artefact = KdaDecodeBuild(heads=12).compile(target=architecture)
    assert architecture in artefact.isa


def test_mirrors():
    conv = torch.randn(3 * 8, 4)
    norm = torch.randn(4).bfloat16()
    mirrors = make_mirrors(conv, norm)
    assert mirrors.conv_w.shape == (3, 4, 8)
    assert mirrors.conv_w.is_contiguous()
    for part in range(3):
        for tap in range(4):
            assert torch.equal(mirrors.conv_w[part, tap], conv[8 * part : 8 * part + 8, tap])
    assert mirrors.norm_w.dtype == torch.float32
    assert torch.equal(mirrors.norm_w, norm.float())


def test_mirrors_list_every_reason():
    with pytest.raises(MirrorError) as error:
        make_mirrors(torch.zeros(8, 4, dtype=torch.float64), torch.zeros(2, 2))
    assert {"3·channels", "head_dim", "float64"} <= {
        word for word in ("3·channels", "head_dim", "float64") if word in str(error.value)
    }


def test_a_build_lists_every_reason():
    with pytest.raises(BuildError, match=r"heads .*head_dim .*eps .*lower_bound"):
        KdaDecodeBuild(heads=0, head_dim=100, eps=0.0, lower_bound=1.0)
