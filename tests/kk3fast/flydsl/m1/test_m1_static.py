"""What the production builds take of the machine."""

import pytest

from kk3fast.compile.isa import static_facts
from kk3fast.flydsl.m1a import M1aBuild
from kk3fast.flydsl.m1b import M1bBuild
from kk3fast.flydsl.m1c import M1cBuild

SIZES = {"heads": 12, "latent": 512}
PAGED = {"pe": 64, "page_size": 16}
A = {**SIZES, **PAGED, "blocks": 8, "hidden": 7168, "q_lora": 1536, "nope": 128, "value_dim": 128}
LDS_BYTES = 160 * 1024


def builds():
    for rows, query_rows in ((8, 8), (8, 1), (1, 1)):
        step = {"rows": rows, "query_rows": query_rows}
        yield M1aBuild(**A, **step)
        yield M1cBuild(**SIZES, **PAGED, **step, scale=192**-0.5)
        yield M1bBuild(**SIZES, rows=rows, value_dim=128)
    step = {"rows": 8, "query_rows": 8}
    yield M1aBuild(**A, **step, mxfp4=True)
    yield M1bBuild(**SIZES, rows=8, value_dim=128, mxfp4=True)
    yield M1cBuild(**SIZES, **PAGED, **step, scale=192**-0.5, fp8_query=False)
    yield M1cBuild(**SIZES, **PAGED, **step, scale=192**-0.5, fp8_query=False, fp8_cache=False)


@pytest.mark.parametrize("build", list(builds()), ids=lambda b: b.symbol)
def test_nothing_is_spilled(build):
    facts = static_facts(build.compile().isa)
    assert (facts.vgpr_spills, facts.sgpr_spills, facts.scratch_bytes) == (0, 0, 0)
    assert facts.lds_bytes <= LDS_BYTES
    assert facts.workgroups_per_cu >= 1  # 0: it could not be launched
