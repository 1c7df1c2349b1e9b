from __future__ import annotations

import json

import pytest

from kk3fast.compile import BuildIdentity, CompileError, IdentityError, parameters_of
from kk3fast.compile.digests import source_digest

IDENTITY = BuildIdentity(
    kernel="k",
    ir_sha256="a" * 64,
    isa_sha256="b" * 64,
    source_digest="c" * 64,
    parameters=parameters_of({"rows": 8, "reset": True, "eps": 1e-5}),
    flydsl_version="0.5.0",
    target="gfx950",
)


def test_json_round_trip():
    assert BuildIdentity.from_json(IDENTITY.to_json()) == IDENTITY
    assert IDENTITY.parameters == (("eps", 1e-5), ("reset", True), ("rows", 8))


def test_every_wrong_field_is_listed():
    data = json.loads(IDENTITY.to_json())
    del data["kernel"]
    data |= {"ir_sha256": "short", "target": 950, "linker": "lld"}
    with pytest.raises(IdentityError) as error:
        BuildIdentity.from_json(json.dumps(data))
    for part in ("kernel is missing", "linker is unknown", "ir_sha256 must be 64", "target must"):
        assert part in str(error.value)


def test_a_parameter_without_a_stable_text_is_refused():
    with pytest.raises(IdentityError, match=r"table = \[1\]; where = <object"):
        parameters_of({"table": [1], "where": object(), "rows": 8})


def test_differences_name_the_field():
    other = BuildIdentity.from_json(IDENTITY.to_json().replace("b" * 64, "d" * 64))
    (difference,) = IDENTITY.differences(other)
    assert difference.startswith("isa_sha256: ")
    assert IDENTITY.digest != other.digest


def test_source_digest_follows_names_and_bytes_not_places(tmp_path):
    digests = []
    for place, text in (("one", "x = 1\n"), ("two", "x = 1\n"), ("three", "x = 2\n")):
        folder = tmp_path / place
        folder.mkdir()
        (folder / "a.py").write_text(text)
        (folder / "notes.txt").write_text(place)
        digests.append(source_digest([folder], folder))
    assert digests[0] == digests[1] != digests[2]
    with pytest.raises(CompileError, match="no source files"):
        source_digest([], tmp_path)


def test_identity_is_the_same_in_every_process(run_python, kernels_path):
    script = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[1]).parent))
import kernels
from kk3fast.compile import compile_launcher
a = compile_launcher(kernels.scaled_add, kernels.add_arguments(), parameters=(("n", 4),))
b = compile_launcher(kernels.build_sum(3), (0, 0))
print(a.identity.to_json()); print(b.identity.to_json())
"""
    outputs = []
    for seed in ("1", "4242"):
        out, error = run_python(script, kernels_path, seed=seed).communicate()
        assert out.count("isa_sha256") == 2, error
        outputs.append(out)
    assert outputs[0] == outputs[1]
