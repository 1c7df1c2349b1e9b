"""One model's run beside its two float64 shadows, and how far it is from them.

* The **state** shadow gets everything a layer is given, and the values it computes before its
  state, from the model itself; only the state (recurrent state, convolution window, latent cache)
  is its own. Errors that arise in the state and stay in it add up there, step by step, and nothing
  else does.
* The **depth** shadow runs freely from layer to layer and step to step; only picks and MXFP4 codes
  are the model's. It shows how errors grow through the layers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kk3ref.formats import decode_fp8
from kk3ref.model import Request, State
from kk3ref.precision import ORACLE
from kk3ref.stages import Layer, Role
from verify.checks.resolve import NotExposed, Resolver
from verify.inputs.case import AFTER
from verify.steps.model import CandidateModel, ForcedModel, Played, copy_request
from verify.steps.traffic import Life, Traffic

_SOURCES = {"recurrent_state", "kv_cache"}


@dataclass(frozen=True)
class Error:
    """How far one request's values were off in one step.

    Attributes:
        view: ``state`` or ``depth``.
        layer: 0-based decoder layer.
        what: the value compared.
        life: number of the request's life.
        step: step of the run.
        age: steps the request had lived, from 1.
        value: relative L2 error against the shadow, over all ranks.
    """

    view: str
    layer: int
    what: str
    life: int
    step: int
    age: int
    value: float


class Track:
    """A model, its shadows, and the requests that live in all three.

    Args:
        model: runs the candidate.
        depth: the free-running shadow.
        traffic: what is asked.
        places: requests of a step.
        drafts: speculative tokens a request.
    """

    def __init__(
        self,
        model: CandidateModel,
        depth: ForcedModel,
        traffic: Traffic,
        places: int,
        drafts: int,
    ):
        self.model, self.depth, self.traffic = model, depth, traffic
        self.places, self.width = places, drafts + 1
        rows = traffic.longest_rows
        self.state = model.new_state(places, drafts, rows)
        self.depth_state = depth.new_state(places, drafts, rows)
        # As the depth shadow's, but only its pools are used.
        self.own_state = depth.new_state(places, drafts, rows)
        self._requests: list[Request | None] = [None] * places
        self._shadows: list[tuple[Request, Request] | None] = [None] * places
        self._lives: list[Life | None] = [None] * places
        self.hidden: set[str] = set()
        self.flips: dict[str, list[int]] = {}
        self.pages_crossed = 0
        self.slots_used: dict[int, int] = {}

    def run(self, step: int) -> list[Error]:
        """One step of the traffic on the model and both shadows."""
        for life in self.traffic.starting(step):
            self._begin(life)
        tokens = torch.tensor(self.traffic.tokens[step])
        accepted = torch.tensor(self.traffic.accepted[step])
        before = [len(r.pages) if r else 0 for r in self._requests]
        self.model.decode_step(self.state, self._requests, tokens, accepted)
        self.pages_crossed += sum(
            len(r.pages) > n for r, n in zip(self._requests, before, strict=True) if r
        )
        followers = [pair[0] if pair else None for pair in self._shadows]
        self.depth.follow(self.model.tape, self.depth_state, followers, tokens, accepted)
        for name, count in self.depth.flips.items():
            self.flips.setdefault(name, []).append(count)
        errors = [*self._state_errors(step), *self._depth_errors(step)]
        for life in self.traffic.ending(step):
            self._end(life)
        return errors

    # -- requests ----------------------------------------------------------------------------

    def _begin(self, life: Life) -> None:
        prompt = torch.tensor(life.prompt)
        request = self.state.allocate()
        self.model.prefill(self.state, request, prompt)
        pair = self.depth_state.allocate(), self.own_state.allocate()
        for state, shadow in zip((self.depth_state, self.own_state), pair, strict=True):
            state.reserve(shadow, len(life.prompt))
            copy_request(self.state, state, request, shadow)
        self._requests[life.place], self._shadows[life.place] = request, pair
        self._lives[life.place] = life
        for slot in request.slots:
            self.slots_used[slot] = self.slots_used.get(slot, 0) + 1

    def _end(self, life: Life) -> None:
        request, pair = self._requests[life.place], self._shadows[life.place]
        assert request is not None
        assert pair is not None
        self.state.free(request)
        self.depth_state.free(pair[0])
        self.own_state.free(pair[1])
        self._requests[life.place] = self._shadows[life.place] = self._lives[life.place] = None

    def _living(self) -> list[tuple[int, Life, Request]]:
        return [
            (place, life, request)
            for place, (life, request) in enumerate(zip(self._lives, self._requests, strict=True))
            if life is not None and request is not None
        ]

    # -- the state's shadow ------------------------------------------------------------------

    def _state_errors(self, step: int) -> list[Error]:
        errors = []
        for place, _, request in self._living():
            pair = self._shadows[place]
            assert pair is not None
            self.own_state.reserve(pair[1], request.base + self.width)
        for played in self.model.tape:
            if played.layer.name in ("k1", "m1"):
                errors += self._state_layer(step, played)
        return errors

    def _state_layer(self, step: int, played: Played) -> list[Error]:
        index, layer = played.index, played.layer
        pools = [self.own_state.pools(index, rank) for rank in range(self.model.tp)]
        inputs = [{**given, **own} for given, own in zip(played.inputs, pools, strict=True)]
        hidden = behind_state(layer)
        taps = [{n: t for n, t in v.items() if n not in hidden} for v in played.taps]
        states = [s for s in layer.stages if any(t.role is Role.STATE for t in s.outputs)]
        made: list[dict[str, Any]] = [{} for _ in taps]
        try:
            resolver = Resolver(layer, ORACLE, played.contexts, inputs, taps)
            for s in states:
                for rank, values in enumerate(made):
                    values |= resolver.outputs(s, rank)
            if played.layer.name == "m1":  # the attention reads the shadow's own cache
                known = [{**t, **values} for t, values in zip(taps, made, strict=True)]
                resolver = Resolver(layer, ORACLE, played.contexts, inputs, known)
            for rank, values in enumerate(made):
                values |= resolver.outputs(layer.stages[-1], rank)
        except NotExposed as error:
            self.hidden.add(f"layer {index}: {error}")
            return []
        for rank, values in enumerate(made):
            self.own_state.store(index, rank, values, None)
        errors = []
        for place, life, request in self._living():
            for what, (mine, wanted) in self._compared(played, made, place, request).items():
                errors.append(_error("state", index, what, life, step, mine, wanted))
        return errors

    def _compared(
        self, played: Played, made: list[dict[str, Any]], place: int, request: Request
    ) -> dict[str, tuple[list[Tensor], list[Tensor]]]:
        """What the model and the shadow have of one request, by name, one tensor a rank."""
        rows = slice(place * self.width, (place + 1) * self.width)
        pairs: dict[str, tuple[list[Tensor], list[Tensor]]] = {}

        def add(name: str, pick: Callable[[Tensor], Tensor]) -> None:
            theirs = [_whole(played, rank)[name] for rank in range(len(made))]
            if all(t is not None for t in theirs):
                pairs[name.removesuffix(AFTER)] = (
                    [pick(t) for t in theirs],
                    [pick(values[name]) for values in made],
                )

        add("core", lambda t: t[rows])
        if played.layer.name == "k1":
            last, first = request.slots[-1], request.slots[0]
            add("recurrent_state_after", lambda t: t[last])
            add("conv_state_after", lambda t: t[first])
        else:
            add("kv_cache_after", lambda t: self._context(t, request))
        return pairs

    def _context(self, cache: Tensor, request: Request) -> Tensor:
        """A context's rows in fp64 (of one shard, if it is sharded)."""
        options = self.model.options
        there = cache[request.pages].flatten(0, 1)
        count = (request.base + self.width) // options.dcp
        there = there[: max(1, count)]
        if options.kv_dtype == "bf16":
            return there
        return decode_fp8(there, options.kv_dtype).double() * options.kv_scale

    # -- the depth's shadow ------------------------------------------------------------------

    def _depth_errors(self, step: int) -> list[Error]:
        errors = []
        for mine, theirs in zip(self.model.tape, self.depth.tape, strict=True):
            names = ("prefix_after", "out") if "out" in mine.layer.roles else ("core",)
            for name in names:
                for place, life, _ in self._living():
                    rows = slice(place * self.width, (place + 1) * self.width)
                    ranks = range(self.model.tp) if name == "core" else range(1)
                    pairs = [
                        [_whole(played, rank)[name][rows] for rank in ranks]
                        for played in (mine, theirs)
                    ]
                    what = name.removesuffix(AFTER)
                    errors.append(_error("depth", mine.index, what, life, step, pairs[0], pairs[1]))
        return errors


def _whole(played: Played, rank: int) -> Mapping[str, Any]:
    return played.taps[rank]


def behind_state(layer: Layer) -> frozenset[str]:
    """Taps that depend on the recurrent state or the latent cache, the pools themselves, and the
    convolution's window."""
    behind = set(_SOURCES)
    for s in layer.stages:
        if behind & set(s.inputs):
            behind |= {tap.name for tap in s.outputs}
    return frozenset(behind | {"conv_state_after"})


def _error(
    view: str,
    layer: int,
    what: str,
    life: Life,
    step: int,
    mine: Sequence[Tensor],
    wanted: Sequence[Tensor],
) -> Error:
    square = size = 0.0
    for a, b in zip(mine, wanted, strict=True):
        b = b.double()
        square += float((a.double() - b).square().sum())
        size += float(b.square().sum())
    value = (square / size) ** 0.5 if size else (0.0 if square == 0 else float("inf"))
    return Error(view, layer, what, life.number, step, step - life.first + 1, value)


__all__ = ["Error", "State", "Track", "behind_state"]
