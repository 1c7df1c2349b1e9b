"""The whole text model on the fused layers' own stages, all tensor-parallel ranks in one process.

Data flow (Kimi-K3's Attention Residuals): the embedding is the first prefix. Every layer reads
prefix, pending delta and blocks for its attention (K1 or M1) and again for its MLP (K2, or the
dense MLP); the MLP's output is the next layer's delta. After the last layer comes one more read,
``model.norm`` and the head.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from kk3ref.checkpoint.source import Source
from kk3ref.model import blocks as parts
from kk3ref.model.state import Request, State
from kk3ref.precision import CONTRACT, Precision, Value
from kk3ref.stages import Intercept, Layer, LayerOptions, RankContext, Taps, run_layer
from kk3ref.tp import rank_contexts


class Model:
    """A Kimi-K3 text model.

    Args:
        source: checkpoint or synthetic weights.
        p: precision policy.
        tp: tensor-parallel ranks.
        options: deployment options; decode context parallelism needs ``dcp = tp``.
        keep_weights: keep every weight that was used; False reads a layer anew each time.
        intercept: called after every stage, see :func:`kk3ref.stages.run_layer`.

    Raises:
        ConfigError: a dimension is not divisible by ``tp``.
        ValueError: an option, or a schedule in which an MLA layer writes a block.
    """

    def __init__(
        self,
        source: Source,
        p: Precision = CONTRACT,
        tp: int = 1,
        options: LayerOptions | None = None,
        *,
        keep_weights: bool = True,
        intercept: Intercept | None = None,
    ):
        self.source = source
        self.config = source.config
        self.p = p
        self.tp = tp
        self.options = options or LayerOptions()
        if self.options.dcp not in (1, tp):
            raise ValueError(f"dcp must be 1 or tp ({tp}), got {self.options.dcp}")
        self.keep_weights = keep_weights
        self.intercept = intercept
        self.weights = source.model_weights()
        self._contexts: dict[int, list[RankContext]] = {}
        self._layers = {
            prefill: [
                parts.decoder_layer(info, self.options, prefill) for info in self.config.layers
            ]
            for prefill in (False, True)
        }
        self.config.shard(tp)

    def new_state(self, requests: int = 1, drafts: int = 0, rows: int = 256) -> State:
        """An empty state for steps of ``drafts + 1`` rows; see :class:`State`."""
        return State(
            self.config, self.p, self.tp, self.options, requests=requests, drafts=drafts, rows=rows
        )

    def prefill(
        self, state: State, request: Request, tokens: Tensor, *, all_rows: bool = False
    ) -> Value:
        """Run a whole prompt; the state is left as a step with one accepted row leaves it.

        KDA runs in chunks, MLA causally over the cache rows it just wrote (so a quantised cache is
        read as a decode step reads it). Whatever the request's slots and pages held is ignored.

        Args:
            request: newly allocated, or to be started over.
            tokens: ``[T]`` int, ``T ≥ 1``.
            all_rows: logits of every row rather than the last.

        Returns:
            logits ``[vocab]`` of the last row, or ``[T, vocab]``; in the arithmetic dtype.

        Raises:
            ValueError: no tokens, or one outside the vocabulary.
            RuntimeError: too few free pages.
        """
        if tokens.ndim != 1 or tokens.numel() == 0:
            raise ValueError(f"tokens must be [T] with T of at least 1, got {list(tokens.shape)}")
        self._check_tokens(tokens)
        rows = tokens.shape[0]
        state.reserve(request, rows)
        hidden = self._run(state, tokens, state.index_tensors([request], [0]), request)
        request.base, request.last_rows = rows - 1, 1
        if all_rows:
            return self._logits(hidden)
        return self._logits(tuple(x[-1:] for x in hidden))[0]

    def decode_step(
        self,
        state: State,
        requests: Sequence[Request | None],
        tokens: Tensor,
        num_accepted: Tensor,
    ) -> Value:
        """Verify every request's last token and drafts in one step.

        Args:
            requests: R requests, prefilled; None is padding, whose rows are finite and mean
                nothing.
            tokens: ``[R, L]`` int, a request's last accepted token and its drafts.
            num_accepted: ``[R]`` int, rows accepted of the request's previous step (1 after a
                prefill): the state goes on from there, what was rejected is dropped.

        Returns:
            logits ``[R·L, vocab]`` in the arithmetic dtype.

        Raises:
            ValueError: shapes, counts or tokens that cannot be.
            RuntimeError: too few free pages.
        """
        counts = self._check_step(state, requests, tokens, num_accepted)
        lengths = [r.base + n if r else 0 for r, n in zip(requests, counts, strict=True)]
        for r, length in zip(requests, lengths, strict=True):
            if r:
                state.reserve(r, length + state.width)
        index = state.index_tensors(requests, lengths)
        index["num_accepted"] = torch.tensor(counts, dtype=torch.int32)
        hidden = self._run(state, tokens.flatten(), index, None)
        for r, length in zip(requests, lengths, strict=True):
            if r:
                r.base, r.last_rows = length, state.width
        return self._logits(hidden)

    # -- inside ------------------------------------------------------------------------------

    def _run(
        self, state: State, tokens: Tensor, index: dict[str, Tensor], request: Request | None
    ) -> tuple[Value, Value, Value]:
        """All layers: the prefix, the pending delta and the blocks after the last one."""
        config = self.config
        prefix = parts.embed(self.p, tokens, self.weights["embed"])
        delta: Value = None
        shape = len(tokens), config.num_blocks, config.hidden_size
        # A block that is read before it is written must not go unnoticed.
        blocks: Value = torch.full(shape, torch.nan, dtype=prefix.dtype)
        for info, (attention, post) in zip(
            config.layers, self._layers[request is not None], strict=True
        ):
            contexts = self._context(info.index)
            shared = {"prefix": prefix, "delta": delta, "blocks": blocks, **index}
            given = [{**shared, **state.pools(info.index, r)} for r in range(self.tp)]
            taps = self.run_layer(attention, contexts, given)
            for rank in range(self.tp):
                state.store(info.index, rank, taps[rank], request)
            blocks = taps[0].get("blocks_after", blocks)
            given = [
                {"core": t["core"], "prefix": t["prefix_after"], "blocks": blocks} for t in taps
            ]
            result = self.run_layer(post, contexts, given)[0]
            prefix, delta = result["prefix_after"], result["out"]
        return prefix, delta, blocks

    def run_layer(
        self, layer: Layer, contexts: Sequence[RankContext], given: Sequence[Taps]
    ) -> list[Taps]:
        """One fused layer on every rank; a subclass may have it run by something else."""
        return run_layer(layer, self.p, contexts, given, self.intercept)

    def _logits(self, hidden: tuple[Value, ...]) -> Value:
        p, w, eps = self.p, self.weights, self.config.rms_norm_eps
        prefix, delta, blocks = hidden
        x = parts.output_read(p, prefix, delta, blocks, w["out_res_norm_w"], w["out_res_q"], eps)
        return parts.head(p, parts.final_norm(p, x, w["final_norm_w"], eps), w["lm_head"])

    def _context(self, index: int) -> list[RankContext]:
        if index in self._contexts:
            return self._contexts[index]
        contexts = rank_contexts(self.source, index, self.tp, self.options)
        if self.keep_weights:
            self._contexts[index] = contexts
        return contexts

    def _check_tokens(self, tokens: Tensor) -> None:
        low, high = int(tokens.min()), int(tokens.max())
        if low < 0 or high >= self.config.vocab_size:
            raise ValueError(
                f"tokens must be in 0..{self.config.vocab_size - 1}, got {low}..{high}"
            )

    def _check_step(
        self,
        state: State,
        requests: Sequence[Request | None],
        tokens: Tensor,
        num_accepted: Tensor,
    ) -> list[int]:
        """The accepted counts, 1 for padding."""
        shape = (len(requests), state.width)
        if not requests or tuple(tokens.shape) != shape or tuple(num_accepted.shape) != shape[:1]:
            raise ValueError(
                f"tokens must be {list(shape)} and num_accepted {list(shape[:1])} for at least one "
                f"request, got {list(tokens.shape)} and {list(num_accepted.shape)}"
            )
        self._check_tokens(tokens)
        live = [r for r in requests if r]
        if len(set(live)) != len(live):
            raise ValueError("a request must be in a step only once")
        counts = [int(n) for n in num_accepted]
        for m, (r, n) in enumerate(zip(requests, counts, strict=True)):
            if r and not 1 <= n <= r.last_rows:
                what = f"in 1..{r.last_rows}" if r.last_rows else "given after a prefill"
                raise ValueError(f"num_accepted[{m}] must be {what}, got {n}")
        return [n if r else 1 for r, n in zip(requests, counts, strict=True)]
