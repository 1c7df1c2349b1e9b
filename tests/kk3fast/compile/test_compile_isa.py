from __future__ import annotations

import pytest

from kk3fast.compile import CompileError, compile_launcher, static_facts

TEXT = """\
	.amdgcn_target "amdgcn-amd-amdhsa-unknown-gfx950"
	.text
first:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_waitcnt vmcnt(3) lgkmcnt(0)
.LBB0_1:
	buffer_load_dwordx4 v[0:3], v8, s[4:7], 0 offen nt
	buffer_load_dwordx2 v[4:5], v8, s[4:7], 0 offen offset:16 sc0 sc1
	global_load_ushort v6, v[8:9], off
	buffer_store_dword v6, v8, s[4:7], 0 offen sc1
	global_atomic_add_u32 v[8:9], v6, off sc1 ; a comment with nt
	v_mfma_f32_16x16x32_bf16 v[0:3], v[4:5], v[4:5], v[0:3]
	v_mfma_f32_16x16x32_bf16 v[0:3], v[4:5], v[4:5], v[0:3]
	ds_read_b128 v[0:3], v8
	ds_write_b32 v8, v0
	scratch_store_dword off, v0, off
	s_barrier
	s_sleep 1
	s_cbranch_scc1 .LBB0_1
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel first
		.amdhsa_group_segment_fixed_size 65536
		.amdhsa_private_segment_fixed_size 16
		.amdhsa_kernarg_size 24
		.amdhsa_next_free_vgpr 100
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.set .Lfirst.num_vgpr, 97
	.set .Lfirst.num_agpr, 0
	.set .Lfirst.numbered_sgpr, 33
amdhsa.kernels:
  - .agpr_count:     0
    .max_flat_workgroup_size: 256
    .name:           first
    .sgpr_spill_count: 2
    .vgpr_spill_count: 1
"""


def test_every_figure_of_a_known_text():
    facts = static_facts(TEXT)
    assert (facts.kernel, facts.target, facts.workgroup_size) == ("first", "gfx950", 256)
    assert (facts.vgpr, facts.agpr, facts.sgpr, facts.allocated_vgpr) == (97, 0, 33, 104)
    assert (facts.lds_bytes, facts.scratch_bytes, facts.kernarg_bytes) == (65536, 16, 24)
    assert (facts.vgpr_spills, facts.sgpr_spills) == (1, 2)
    assert facts.mfma == {"v_mfma_f32_16x16x32_bf16": 2}
    assert facts.waits == {"lgkmcnt(0)": 1, "vmcnt(3)": 1}
    assert facts.loads == {"nt": 1, "plain": 1, "sc0 sc1": 1}
    assert facts.load_bytes == {"nt": 16, "plain": 2, "sc0 sc1": 8}
    assert (facts.stores, facts.store_bytes, facts.atomics) == ({"sc1": 1}, {"sc1": 4}, {"sc1": 1})
    assert (facts.lds_reads, facts.lds_writes, facts.scratch_accesses) == (1, 1, 1)
    assert (facts.scalar_loads, facts.barriers, facts.sleeps, facts.branches) == (1, 1, 1, 1)
    assert facts.instructions == 16


@pytest.mark.parametrize(
    ("vgpr", "lds", "waves", "workgroups"),
    [(64, 0, 8, 8), (65, 0, 7, 7), (128, 65536, 4, 2), (256, 1024, 2, 2), (512, 1024, 1, 1)],
)
def test_occupancy_is_the_scarcer_of_registers_and_lds(vgpr, lds, waves, workgroups):
    text = TEXT.replace("vgpr 100", f"vgpr {vgpr}").replace("size 65536", f"size {lds}")
    facts = static_facts(text)
    assert (facts.waves_per_simd, facts.workgroups_per_cu) == (waves, workgroups)


def test_a_kernel_that_is_not_there_is_named():
    with pytest.raises(CompileError, match=r"one of the kernels \['first'\].*got 'second'"):
        static_facts(TEXT, "second")


def test_a_missing_figure_is_named():
    with pytest.raises(CompileError, match=r"the assembly of first has no .*next_free_vgpr"):
        static_facts(TEXT.replace(".amdhsa_next_free_vgpr 100", ""))


def test_facts_of_a_compiled_kernel(kernels):
    isa = compile_launcher(kernels.scaled_add, kernels.add_arguments()).isa
    facts = static_facts(isa)
    assert facts.workgroup_size == kernels.THREADS
    assert (facts.loads, facts.load_bytes) == ({"nt": 2}, {"nt": 8})
    assert (facts.stores, facts.store_bytes) == ({"plain": 1}, {"plain": 4})
    assert facts.lds_bytes == 0
