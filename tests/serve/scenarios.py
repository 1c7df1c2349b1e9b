"""The scenarios: what a gated server does when all is well, and whenever something is not.

Each server is started once and asked several things. Times are the scenario's own; the start of
its server counts to its first.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kk3fast.serve.state import read_states
from tests.serve.plugins import Plugin
from tests.serve.rig import Rig, expect
from tests.serve.server import START_S, Server, Serving
from verify.evals.endpoint import Endpoint
from verify.evals.gate import served_between

TOKENS = 40
PROMPTS: tuple[tuple[int, ...], ...] = (
    (65, 66, 67, 65, 66, 67, 65, 66),
    (40, 50, 60, 70, 80, 90),
    (300, 310, 300, 310, 300),
    tuple(range(100, 140)),
)
STOCK_REFUSAL = r"ValueError: decode_backend must be .* got 'kk3'"
"""vLLM's own, in a worker: without the plugin it does not know the value"""
LOAD_TOKENS = 24
LOAD_PROMPTS = tuple(tuple(first + i % 4 for i in range(12)) for first in (364, 456, 440, 308))
"""each goes round a cycle: drafts are there from the first step on"""
LONG_S = START_S + 240  # a start and some requests
SWITCH_EVERY = 16  # steps between two looks at the off switch, and between two health agreements
Texts = list[list[int]]


def texts(server: Server, prompts: Iterable[Sequence[int]] = PROMPTS) -> Texts:
    """Greedy text of each prompt, one after the other: batches are then the same in every run."""
    found = []
    for prompt in prompts:
        status, tokens = server.complete(prompt, TOKENS)
        expect(status == 200 and len(tokens) == TOKENS, f"HTTP {status}, {len(tokens)} tokens")
        found.append(tokens)
    return found


def by_rank(server: Server, name: str) -> list[int]:
    """A metric's value on each rank, in rank order."""
    found = {
        int(label[1]): int(value)
        for key, value in server.metrics(f"{name}{{").items()
        if (label := re.search(r'rank="(\d+)"', key))
    }
    return [found[rank] for rank in sorted(found)]


def planned(server: Server, tp: int, at_least: int = 1, seconds: float = 10.0) -> list[int]:
    """Planned steps of every rank, once they show (workers write twice a second)."""
    counts: list[int] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        counts = by_rank(server, "kk3_steps_planned_total")
        if len(counts) == tp and min(counts) >= at_least:
            return counts
        time.sleep(0.3)
    expect(False, f"every one of {tp} ranks must plan {at_least} steps or more, got {counts}")
    return counts


def off(rig: Rig) -> Texts:
    """vLLM's decode with drafts, the plugin installed: the texts that the others are held to."""
    found: Texts = []
    with (
        rig.scenario("off", LONG_S) as told,
        rig.running("off", Serving(tp=rig.tp)) as server,
    ):
        found = texts(server)
        expect(not server.metrics("kk3_gate"), "a gate is open that nobody asked for")
        drafts = server.metrics("vllm:spec_decode_num_accepted_tokens_total")
        told.append(f"{int(sum(drafts.values()))} drafts accepted")
    return found


def off_without_drafts(rig: Rig, wanted: Texts) -> None:
    """vLLM's decode without drafts: in fp32 the drafts change no token."""
    with (
        rig.scenario("off, no drafts", LONG_S) as told,
        rig.running("no drafts", Serving(tp=rig.tp, draft_tokens=0)) as server,
    ):
        expect(texts(server) == wanted, "other tokens than with drafts")
        told.append("tokens as with drafts")


def on(rig: Rig, wanted: Texts, requests: int) -> None:
    """A valid certificate, and then all that one running server can show."""
    switch = rig.folder / f"off-switch-{rig.tp}"
    switch.unlink(missing_ok=True)
    serving = Serving(tp=rig.tp, additional=rig.on(kk3_off_switch=str(switch)))
    server = None
    try:
        with rig.scenario("on, valid certificate", LONG_S + 120) as told:
            server = rig.start("on", serving)
            server.until_ready()
            expect(texts(server) == wanted, "other tokens than off")
            steps = planned(server, rig.tp)
            launches = by_rank(server, "kk3_layer_launches_total")
            expect(min(launches) > 0, f"launches {launches}")
            told.append(f"tokens as off; {steps[0]} steps planned, {launches[0]} layer launches")
            gate = Endpoint(server.url).gate()
            wanted_digest = rig.certificates.deployment
            found = gate.told.get("deployment") if gate else None
            expect(found == wanted_digest, f"deployment {found}, certified is {wanted_digest}")
            told.append(next(iter(server.metrics("kk3_gate_info"))))
        if server is None or not rig.results[-1].passed:
            return
        _switch(rig, server, switch, wanted)
        _load(rig, server, requests)
        _kill(rig, server)
    finally:
        switch.unlink(missing_ok=True)
        if server is not None:
            server.stop()


def _switch(rig: Rig, server: Server, switch: Path, wanted: Texts) -> None:
    """The off switch of a running server, there and back."""
    with rig.scenario("off switch", 240) as told:
        switch.touch()
        texts(server, PROMPTS[:1])  # more than 16 steps: all ranks have looked
        time.sleep(1.0)
        before, first = planned(server, rig.tp), Endpoint(server.url).gate()
        expect(texts(server) == wanted, "other tokens than off")
        time.sleep(1.0)
        after, last = planned(server, rig.tp), Endpoint(server.url).gate()
        expect(after == before, f"planned steps went from {before} to {after}")
        served = served_between(first, last)
        expect(served is not None and served.planned == 0, f"an eval would be told {served}")
        expect(served is not None and served.stock > 0, f"an eval would be told {served}")
        expect(set(by_rank(server, "kk3_switched_off")) == {1}, "kk3_switched_off must be 1")
        switch.unlink()
        texts(server, PROMPTS[:1])
        expect(texts(server) == wanted, "other tokens than off")
        again = planned(server, rig.tp, before[0] + 1)
        told.append(f"planned steps stood at {after[0]}, {again[0]} after switching back")


def _load(rig: Rig, server: Server, requests: int) -> None:
    """Many requests, 8 in flight, on a server of 2 sequences."""
    with rig.scenario(f"load, {requests} requests", 60 + 3 * requests) as told:
        before, began = planned(server, rig.tp), time.monotonic()
        prompts = list(itertools.islice(itertools.cycle(LOAD_PROMPTS), requests))
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda p: server.complete(p, LOAD_TOKENS), prompts))
        seconds = time.monotonic() - began
        bad = [status for status, tokens in answers if status != 200 or len(tokens) != LOAD_TOKENS]
        expect(not bad, f"{len(bad)} of {requests} failed: HTTP {sorted(set(bad))}")
        after = planned(server, rig.tp, before[0] + 1)
        told.append(
            f"all answered; {LOAD_TOKENS * requests / seconds:.0f} tokens/s, "
            f"{after[0] - before[0]} more steps planned"
        )


def _kill(rig: Rig, server: Server) -> None:
    """kill -9 of a worker: the server ends; nobody waits for ever."""
    with rig.scenario("kill -9 of a worker", 120) as told:
        workers = server.workers()
        expect(len(workers) == rig.tp, f"{rig.tp} workers, found {workers}")
        began = time.monotonic()
        os.kill(workers[-1], signal.SIGKILL)
        code = server.until_ended(90)
        left = [pid for pid in workers if Path(f"/proc/{pid}/cmdline").exists()]
        told.append(f"the server ended with {code} after {time.monotonic() - began:.1f} s")
        expect(len(left) == 0, f"workers {left} are still there")


def fault(rig: Rig, wanted: Texts) -> None:
    """A planted kernel fault: the text must change, or equal texts would prove nothing."""
    serving = Serving(tp=rig.tp, additional=rig.on(kk3_test_fault="moe_output"))
    with (
        rig.scenario("planted kernel fault", LONG_S) as told,
        rig.running("fault", serving) as server,
    ):
        found = texts(server)
        steps = planned(server, rig.tp)
        changed = sum(a != b for a, b in zip(found, wanted, strict=True))
        expect(changed > 0, f"no text changed in {steps[0]} planned steps")
        told.append(f"{changed} of {len(wanted)} texts changed, {steps[0]} steps planned")


def padding(rig: Rig, wanted: Texts) -> None:
    """Verification steps padded with whole requests, as a CUDA graph's replays are."""
    serving = Serving(tp=rig.tp, additional=rig.on(kk3_rig_padding=True))
    with (
        rig.scenario("padded batch", LONG_S) as told,
        rig.running("padding", serving) as server,
    ):
        expect(texts(server) == wanted, "other tokens than off")
        steps = planned(server, rig.tp)
        told.append(f"tokens as off; {steps[0]} steps planned with 8 rows, 4 of them padding")


def stall(rig: Rig) -> None:
    """A rank that stalls inside a served step: all ranks stop at the same step, the server ends."""
    serving = Serving(tp=rig.tp, additional=rig.on(kk3_test_stall_step=2))
    with rig.scenario("stalled rank", LONG_S) as told, rig.running("stall", serving) as server:
        began, statuses = time.monotonic(), []
        for prompt in PROMPTS:
            statuses.append(server.complete(prompt, 200)[0])
            if statuses[-1] != 200:
                break
        expect(statuses[-1] in (0, 500), f"a request must fail, got HTTP {statuses}")
        code = server.until_ended(60)
        states = read_states(server.folder / "state")
        steps = {int(s["steps"]) for s in states}
        expect(len(states) == rig.tp and len(steps) == 1, f"ranks stopped at steps {steps}")
        expect(all(s["fail_stops"] == 1 for s in states), "every rank must count its fail-stop")
        expect(steps.pop() % SWITCH_EVERY == 0, "ranks agree every 16 steps")
        expect(f"ranks [{rig.tp - 1}]" in states[0]["failure"], states[0]["failure"])
        told.append(f"HTTP {statuses[-1]}; all ranks raised at step {states[0]['steps']}")
        told.append(f"the server exited with {code} {time.monotonic() - began:.0f} s after")


def forced_off(rig: Rig, wanted: Texts) -> None:
    """``KK3_DECODE_BACKEND=auto`` on one replica: off, whatever the configuration says."""
    serving = Serving(tp=rig.tp, additional=rig.on(), environment={"KK3_DECODE_BACKEND": "auto"})
    with (
        rig.scenario("KK3_DECODE_BACKEND=auto", LONG_S) as told,
        rig.running("forced off", serving) as server,
    ):
        expect(texts(server) == wanted, "other tokens than off")
        expect(not server.metrics("kk3_gate"), "the gate is open all the same")
        told.append("tokens as off, no gate")


def refused_servers(rig: Rig) -> None:
    """Configurations that must end ``vllm serve`` with code 1 before anything is loaded."""
    bad = dict(rig.certificates.bad())["machine code changed"]
    changed = {**rig.on(), "kk3_certificate": str(bad.path)}
    none = {"decode_backend": "kk3", "kk3_kernels": "contract"}
    vllms = {"decode_backend": "latency_specialized"}
    required = {"KK3_REQUIRE_CERTIFICATE": "1"}
    tp = rig.tp
    cases: tuple[tuple[str, Serving, str], ...] = (
        ("no certificate", Serving(tp=tp, additional=none), r"certificate\.missing"),
        ("bad certificate", Serving(tp=tp, additional=changed), r"build\.changed"),
        (
            "vLLM's kernels, certificate required",
            Serving(tp=tp, additional=vllms, environment=required),
            r"certificate\.missing",
        ),
        (
            "plugin missing",
            Serving(tp=tp, additional=rig.on(), plugin=Plugin.MISSING),
            STOCK_REFUSAL,
        ),
        (
            "plugin fails to import",
            Serving(tp=tp, additional=rig.on(), plugin=Plugin.BROKEN),
            STOCK_REFUSAL,
        ),
        (
            "plugin left out by VLLM_PLUGINS",
            Serving(tp=tp, additional=rig.on(), environment={"VLLM_PLUGINS": "kk3_rig"}),
            STOCK_REFUSAL,
        ),
    )
    for name, serving, pattern in cases:
        with rig.scenario(name, 200) as told:
            server = rig.start(name, serving)
            try:
                code = server.until_ended(180)
            finally:
                server.stop()
            expect(code == 1, f"it must end with 1, got {code}")
            line = re.search(rf".*{pattern}.*", server.log)
            expect(line is not None, f"the log must say {pattern}")
            told.append(f"exit 1: {line[0].strip()[-120:] if line else ''}")


def bad_certificates(rig: Rig) -> None:
    """Each kind of bad certificate: refused when vLLM verifies the configuration, with its reason.

    One process verifies the command lines as ``vllm serve`` does: a server each would say no more.
    """
    with rig.scenario("each kind of bad certificate", 300) as told:
        kinds = dict(rig.certificates.bad())
        good, policy = rig.certificates.good, rig.certificates.policy
        files = [(good, policy), *((bad.path, bad.policy) for bad in kinds.values())]
        found = rig.verify(
            Serving(
                tp=rig.tp,
                additional={**rig.on(), "kk3_certificate": str(path), "kk3_policy": str(toml)},
            )
            for path, toml in files
        )
        expect(found[0] is None, f"the good certificate is refused: {found[0]}")
        wrong = [
            f"{kind} ({bad.code}): {said}"
            for (kind, bad), said in zip(kinds.items(), found[1:], strict=True)
            if said is None or f"- {bad.code}:" not in said
        ]
        expect(not wrong, "; ".join(wrong))
        told.append(f"{len(kinds)} kinds refused with their own reason: {', '.join(kinds)}")
