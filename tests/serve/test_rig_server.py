"""The harness around a server: deadlines hold, nothing is left behind, answers are told apart."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.serve.server import Overdue, Server, Serving, environment, free_port

HANGS = "import time; print('hanging', flush=True); time.sleep(600)"
WITH_CHILD = (
    "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', "
    "'import time; time.sleep(600)']); print('child', p.pid, flush=True); time.sleep(600)"
)
ANSWERS = """
import http.server, json, sys, time
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.say(200, b'# HELP\\nkk3_steps_total{rank="0"} 3.0\\nkk3_steps_total{rank="1"} 4.0\\n')
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["prompt"] == [9]: time.sleep(600)
        if asked["prompt"] == [8]: return self.say(500, b"{}")
        tokens = list(range(asked["max_tokens"]))
        self.say(200, json.dumps({"choices": [{"token_ids": tokens}]}).encode())
    def say(self, status, body):
        self.send_response(status); self.end_headers(); self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), H).serve_forever()
"""


def server(tmp_path: Path, code: str, port: int = 0) -> Server:
    port = port or free_port()
    return Server([sys.executable, "-c", code, str(port)], port, tmp_path, dict(os.environ))


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True


def test_a_server_that_hangs_is_overdue_and_stopped(tmp_path: Path) -> None:
    s = server(tmp_path, HANGS)
    with pytest.raises(Overdue, match=r"not ready after 1 s(.|\n)*hanging"):
        s.until_ready(1.0)
    with pytest.raises(Overdue, match="still ran"):
        s.until_ended(0.1)
    assert s.stop(2.0) != 0
    assert gone(s.process.pid)


def test_a_server_that_ends_is_not_waited_for(tmp_path: Path) -> None:
    s = server(tmp_path, "raise SystemExit(3)")
    began = time.monotonic()
    with pytest.raises(Overdue, match="ended with 3"):
        s.until_ready(30.0)
    assert time.monotonic() - began < 10
    assert s.until_ended(1.0) == 3
    s.stop()


def test_stopping_reaches_what_the_server_started(tmp_path: Path) -> None:
    s = server(tmp_path, WITH_CHILD)
    end = time.monotonic() + 10
    while "child" not in s.log and time.monotonic() < end:
        time.sleep(0.05)
    child = int(s.log.split()[1])
    assert not gone(child)
    s.stop(2.0)
    end = time.monotonic() + 5
    while not gone(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert gone(child)


def test_answers_errors_and_silence_are_told_apart(tmp_path: Path) -> None:
    s = server(tmp_path, ANSWERS)
    try:
        assert s.until_ready(30.0) < 30
        assert s.complete([1], 3) == (200, [0, 1, 2])
        assert s.complete([8], 3) == (500, [])
        with pytest.raises(Overdue, match="no answer in 1 s"):
            s.complete([9], 3, seconds=1.0)
        assert s.metrics() == {'kk3_steps_total{rank="0"}': 3.0, 'kk3_steps_total{rank="1"}': 4.0}
    finally:
        s.stop(2.0)
    assert s.complete([1], 3) == (0, [])


def test_the_environment_hides_what_the_caller_has_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PYTHONPATH", "VLLM_PLUGINS", "KK3_DECODE_BACKEND"):
        monkeypatch.setenv(name, "of the caller")
    given = Serving(environment={"KK3_REQUIRE_CERTIFICATE": "1"})
    found = environment([tmp_path], given, tmp_path / "state")
    assert found["PYTHONPATH"] == str(tmp_path)
    assert found["KK3_REQUIRE_CERTIFICATE"] == "1"
    assert not {"VLLM_PLUGINS", "KK3_DECODE_BACKEND"} & set(found)


def test_no_drafts_means_no_speculation(tmp_path: Path) -> None:
    assert "--speculative-config" in Serving().arguments(tmp_path, 1)
    assert "--speculative-config" not in Serving(draft_tokens=0).arguments(tmp_path, 1)
