"""``verify bench serve``: what is measured, in which order, and what is concluded."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from reports.page import build
from reports.records import read_all
from verify.bench.serve_judge import compare, verdict
from verify.bench.serve_load import Load, one_request, prompts
from verify.bench.serve_record import ServeRecord, ServeRun
from verify.cli.main import main
from verify.evals.endpoint import Endpoint

LOG: list[tuple[str, str]] = []


@contextmanager
def serve(
    name: str,
    delay: float,
    pieces: int = 4,
    a_piece: int = 3,
    fail: bool = False,
    usage: bool = True,
) -> Iterator[str]:
    """A server that streams ``pieces`` of ``a_piece`` tokens, ``delay`` seconds apart."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            found = self.path == "/v1/models"
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(json.dumps({"data": [{"id": "tiny"}]}).encode())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            LOG.append((name, body["prompt"]))
            bad = fail and not body["prompt"].startswith("warm up")
            self.send_response(500 if bad else 200)
            self.end_headers()
            if bad:
                return
            events: list[dict[str, Any]] = [{"choices": [{"text": "a b c"}]}] * pieces
            if usage:
                events.append({"choices": [], "usage": {"completion_tokens": pieces * a_piece}})
            for event in events:
                time.sleep(delay)
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
            self.wfile.write(b"data: [DONE]\n\n")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


SMALL = ["--input-words", "5", "--output-tokens", "12", "--requests", "2"]


def test_the_time_a_token_counts_the_servers_tokens_not_the_pieces() -> None:
    """A speculative step streams several tokens at once."""
    with serve("x", 0.05) as url:
        found = one_request(Endpoint(url, "tiny"), "hello", 12, 30.0)
    assert found.error == ""
    assert found.tokens == 12
    # Three gaps of at least 50 ms over the eleven tokens after the first.
    assert found.tpot >= 3 * 0.05 / 11
    assert found.tpot == pytest.approx((found.total - found.first) / 11)


def test_a_stream_without_a_count_is_an_error() -> None:
    with serve("x", 0.0, usage=False) as url:
        found = one_request(Endpoint(url, "tiny"), "hello", 12, 30.0)
    assert "no usage" in found.error


def test_a_slower_server_fails_and_the_order_alternates(tmp_path: Path) -> None:
    LOG.clear()
    out = tmp_path / "bench.json"
    with serve("off", 0.01) as off, serve("on", 0.1) as on:
        words = ["bench", "serve", "--off", off, "--on", on, "--point", "2,3", "--seeds", "3"]
        assert main([*words, *SMALL, "--out", str(out)]) == 1
    record = ServeRecord.model_validate_json(out.read_text())
    (point,) = record.points
    assert [run.side for run in point.runs] == ["off", "on", "on", "off", "off", "on"]
    assert [run.seed for run in point.runs] == [0, 0, 1, 1, 2, 2]
    assert all(run.requests == 2 and run.output_tokens == 24 for run in point.runs)
    tpot = point.comparisons[0]
    assert tpot.metric == "tpot_p50_ms"
    assert tpot.lower is not None
    assert tpot.lower > 1
    asked = {side: {p for s, p in LOG if s == side} for side in ("off", "on")}
    assert asked["off"] == asked["on"]
    made = build(read_all([out]), tmp_path / "page")
    text = made.page.read_text()
    assert "Paired speeds" in text
    assert "slower: median TPOT" in text
    assert made.figures == 2


def test_failed_requests_are_no_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve("off", 0.0) as off, serve("on", 0.0, fail=True) as on:
        words = ["bench", "serve", "--off", off, "--on", on, "--point", "1,0", "--seeds", "2"]
        assert main([*words, *SMALL, "--out", str(tmp_path / "b.json")]) == 2
    assert "no request was answered" in capsys.readouterr().err


def test_prompts_repeat_by_seed_and_share_no_prefix() -> None:
    load = Load(2, 8, 20, 10)
    assert prompts(load, 1) == prompts(load, 1) != prompts(load, 2)
    assert len({p[:8] for p in prompts(load, 1)}) == 8


def run_of(side: Literal["off", "on"], seed: int, tpot: float, failed: int = 0) -> ServeRun:
    return ServeRun(
        side=side,
        seed=seed,
        place=0,
        requests=4,
        failed=failed,
        output_tokens=100,
        seconds=1.0,
        tpot_p50_ms=tpot,
        tpot_p90_ms=None,
        output_tokens_per_s=1000 / tpot,
    )


def runs_of(ratios: list[float]) -> list[ServeRun]:
    found = []
    for seed, ratio in enumerate(ratios):
        base = 5.0 * (1 + 0.3 * seed)  # seeds differ far more than the sides do
        found += [run_of("off", seed, base), run_of("on", seed, base * ratio)]
    return found


@pytest.mark.parametrize(
    ("ratios", "word"),
    [
        ([0.79, 0.80, 0.81], "pass"),
        ([0.999, 1.001, 1.0, 1.0], "pass"),
        ([1.19, 1.2, 1.21], "fail"),
        ([0.8, 1.2, 1.0], "not_checked"),
        ([0.8], "not_checked"),
    ],
    ids=["faster", "equal", "slower", "unclear", "one-pair"],
)
def test_verdicts(ratios: list[float], word: str) -> None:
    runs = runs_of(ratios)
    judged, _ = verdict(compare(runs), runs, 0.02)
    assert judged.value == word


def test_pairing_removes_what_seeds_differ_by() -> None:
    found = {c.metric: c for c in compare(runs_of([0.79, 0.80, 0.81]))}
    tpot = found["tpot_p50_ms"]
    assert tpot.ratio == pytest.approx(0.8, rel=1e-3)
    assert tpot.lower is not None
    assert tpot.upper is not None
    assert tpot.upper - tpot.lower < 0.06
    assert found["output_tokens_per_s"].ratio == pytest.approx(1 / tpot.ratio)
    assert "tpot_p90_ms" not in found


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(600):
        gaps = rng.normal(math.log(0.9), 0.05, 5)
        (tpot, _) = compare(runs_of(np.exp(gaps).tolist()))
        assert tpot.lower is not None
        assert tpot.upper is not None
        hits += tpot.lower <= 0.9 <= tpot.upper
    # 95 % of 600 is 570; the binomial's 99.9 % range.
    assert 551 <= hits <= 587


def test_a_failed_request_is_not_a_pass() -> None:
    runs = [*runs_of([0.8, 0.8]), run_of("off", 9, 5.0, 1), run_of("on", 9, 4.0)]
    assert verdict(compare(runs), runs, 0.02)[0].value == "not_checked"


def test_unpaired_runs_are_refused() -> None:
    with pytest.raises(ValueError, match=r"seed 0 stands twice off; every seed must be run"):
        compare([run_of("off", 0, 5.0), run_of("off", 0, 5.0), run_of("on", 1, 5.0)])


def result(path: Path, tpot: float, **more: Any) -> str:
    data: dict[str, Any] = {
        "max_concurrency": 1,
        "num_prompts": 2,
        "completed": 2,
        "duration": 2.0,
        "total_output_tokens": 6,
        "output_throughput": 3.0,
        "median_tpot_ms": tpot,
        "median_ttft_ms": 100.0,
        "output_lens": [3, 3],
        "itls": [[tpot / 1e3, tpot / 1e3], [tpot / 1e3, 3 * tpot / 1e3]],
        "drafts": 7,
    }
    path.write_text(json.dumps(data | more))
    return str(path)


def test_files_of_vllm_bench_serve_are_read(tmp_path: Path) -> None:
    off = [result(tmp_path / f"off{i}.json", 5.47 + i / 100) for i in range(3)]
    on = [result(tmp_path / f"on{i}.json", 4.35 + i / 100) for i in range(3)]
    out = tmp_path / "b.json"
    words = ["bench", "serve", "--off-result", *off, "--on-result", *on, "--out", str(out)]
    assert main(words) == 0
    (point,) = ServeRecord.model_validate_json(out.read_text()).points
    assert (point.concurrency, point.drafts) == (1, 7)
    assert point.comparisons[0].ratio == pytest.approx(0.795, abs=2e-3)
    assert point.runs[0].tpot_p90_ms == pytest.approx(5.47 * 1.9)


def test_files_that_do_not_pair_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    off = [result(tmp_path / f"off{i}.json", 5.0) for i in range(2)]
    bad = tmp_path / "bad.json"
    bad.write_text("[]")
    words = ["bench", "serve", "--off-result", *off, "--on-result", str(bad)]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "bad.json must be a result of vllm bench serve" in error
    assert "as many files off as on, got [2, 0]" in error


def test_every_reason_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "serve", "--point", "a", "--point", "1,7", "--seeds", "0", "--margin", "3"]
    assert main(words) == 2
    error = capsys.readouterr().err
    for reason in (
        "--point must be CONCURRENCY,DRAFTS[,OFF,ON], got 'a'",
        "--point 1,7 needs servers",
        "--seeds must be at least 1, got 0",
        "--margin must be from 0 to below 1, got 3",
    ):
        assert reason in error


@pytest.mark.parametrize("words", [["bench"], ["bench", "serve"]], ids=" ".join)
def test_help_has_examples(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    assert stop.value.code == 0
    assert "python -m verify bench serve" in capsys.readouterr().out
