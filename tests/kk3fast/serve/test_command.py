"""Reading a server's command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from kk3fast_serve_fakes import CONFIG

from kk3fast.serve.command import CommandError, as_vllm_config, parse_command
from kk3fast.serve.deployment import served_widths, text_config, verified_rows

SPEC = """--speculative-config '{"method": "ngram", "num_speculative_tokens": 3}'"""


def test_what_the_gate_looks_at() -> None:
    line = (
        "KK3_REQUIRE_CERTIFICATE=1 A=b=c python -m vllm.entrypoints.cli.main serve model "
        f"-tp 8 --max-num-seqs=2 --enforce-eager {SPEC} --enable-expert-parallel "
        """--additional-config '{"decode_backend": "kk3"}' --additional-config.kk3_policy p.toml"""
    )
    command = parse_command(shlex.split(line))
    assert command.model == "model"
    assert command.environment == {"KK3_REQUIRE_CERTIFICATE": "1", "A": "b=c"}
    assert command.numbers["tensor-parallel-size"] == 8
    assert command.numbers["max-num-seqs"] == 2
    assert command.numbers["data-parallel-size"] == 1
    assert command.additional == {"decode_backend": "kk3", "kk3_policy": "p.toml"}
    assert command.speculative == {"method": "ngram", "num_speculative_tokens": 3}
    assert {"enforce-eager", "enable-expert-parallel"} <= command.flags
    assert command.arguments[0] == "model"


def test_a_flag_names_the_model_too() -> None:
    assert parse_command(["vllm", "serve", "--model", "m", "--port=1"]).model == "m"


def test_every_wrong_value_is_listed() -> None:
    with pytest.raises(CommandError) as caught:
        parse_command(shlex.split("vllm serve m -tp no --max-num-seqs 0 --additional-config [1]"))
    for part in ("'no'", "'0'", "'[1]'"):
        assert part in str(caught.value)
    with pytest.raises(CommandError, match="got no `serve`"):
        parse_command(["vllm", "bench"])


def test_the_models_folder_is_read(tmp_path: Path) -> None:
    for nested in (True, False):
        (tmp_path / "config.json").write_text(json.dumps(CONFIG.to_hf(nested=nested)))
        config = as_vllm_config(parse_command(shlex.split(f"vllm serve {tmp_path} -tp 2 {SPEC}")))
        assert text_config(config) == CONFIG
        assert config.parallel_config.tensor_parallel_size == 2
        assert verified_rows(config) == 4
        assert config.scheduler_config.max_num_seqs == 256
    with pytest.raises(CommandError, match="a folder on this machine"):
        as_vllm_config(parse_command(["serve", "someone/model"]))


def test_widths_are_whole_requests() -> None:
    assert served_widths(4, 256) == (4, 8)
    assert served_widths(4, 1) == (4,)
    assert served_widths(2, 3) == (2, 4, 6)
    assert served_widths(8, 4) == (8,)
    assert served_widths(9, 1) == ()
