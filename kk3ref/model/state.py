"""What a model keeps between steps: KDA state pools and MLA latent caches, with their allocation.

Slot 0 of the KDA pools and page 0 of the latent caches are null and never given out. A request
holds ``L`` slots (one recurrent state a row of its steps; the convolution's window is in the first)
and as many pages as its context fills; both are the same in every layer and on every rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from kk3ref.config import K3Config
from kk3ref.kda import NULL_SLOT
from kk3ref.mla import NULL_PAGE, StoredFormat
from kk3ref.precision import Precision, Value
from kk3ref.stages import LayerOptions


@dataclass(eq=False)
class Request:
    """A request's place in the state; :meth:`State.allocate` makes it."""

    slots: tuple[int, ...]
    """KDA slots, one a row of a step"""
    pages: list[int] = field(default_factory=list)
    """latent cache pages, in the order of the context"""
    base: int = 0
    """rows of the context before the last step"""
    last_rows: int = 0
    """rows the last step could have had accepted: 0 before the prefill, then 1, then L"""


class State:
    """State pools of every layer and rank, and the free slots and pages.

    Args:
        config: the model.
        p: the policy the model runs on: pools have the dtypes it stores values in (fp8 caches are
            fp8 on every policy: that is part of the definition).
        tp: tensor-parallel ranks.
        options: layout of the convolution's state, format of the latent cache.
        requests: how many requests fit.
        drafts: draft tokens a step; its rows are ``L = drafts + 1``, the same for all requests.
        rows: latent cache rows a request may have on average.
    """

    def __init__(
        self,
        config: K3Config,
        p: Precision,
        tp: int,
        options: LayerOptions,
        *,
        requests: int,
        drafts: int,
        rows: int,
    ):
        if requests < 1 or drafts < 0 or rows < 1:
            raise ValueError(
                "requests and rows must be at least 1 and drafts at least 0, "
                f"got {requests}, {rows} and {drafts}"
            )
        self.width = drafts + 1
        self.options = options
        shapes = config.shard(tp)
        slots = 1 + requests * self.width
        self.rows_a_page = options.page_size * options.dcp
        pages = 1 + requests * -(-rows // self.rows_a_page)
        window = (shapes.conv_channels, config.short_conv_kernel_size - 2 + self.width)
        head = config.kda_head_dim

        def pool(dtype: torch.dtype, *shape: int) -> Tensor:
            if dtype.is_floating_point:
                dtype = p.store(torch.zeros((), dtype=p.dtype), dtype).dtype
            return torch.zeros(shape, dtype=dtype)

        kda = [layer.index for layer in config.layers if layer.attention == "kda"]
        mla = [layer.index for layer in config.layers if layer.attention == "mla"]
        conv = window if options.conv_dim_first else window[::-1]
        cache = StoredFormat(options.kv_dtype, options.kv_scale).dtype
        self.conv: dict[int, list[Value]] = {
            i: [pool(torch.bfloat16, slots, *conv) for _ in range(tp)] for i in kda
        }
        """by KDA layer, one a rank: ``[slots, C, W-2+L]`` bf16, or ``[slots, W-2+L, C]``"""
        self.recurrent: dict[int, list[Value]] = {
            i: [pool(torch.float32, slots, shapes.kda_heads, head, head) for _ in range(tp)]
            for i in kda
        }
        """by KDA layer, one a rank: ``[slots, h, d_v, d_k]`` fp32"""
        self.kv: dict[int, list[Value]] = {
            i: [
                pool(cache, pages, options.page_size, config.kv_cache_dim)
                for _ in range(options.dcp)
            ]
            for i in mla
        }
        """by MLA layer, one a rank that shares the contexts: ``[pages, page_size, c+pe]``"""
        self._free_slots = list(range(slots - 1, 0, -1))
        self._free_pages = list(range(pages - 1, 0, -1))
        self._live: set[Request] = set()

    # -- allocation --------------------------------------------------------------------------

    @property
    def free_requests(self) -> int:
        """Requests that still fit."""
        return len(self._free_slots) // self.width

    @property
    def free_pages(self) -> int:
        """Pages that no request holds."""
        return len(self._free_pages)

    def allocate(self) -> Request:
        """A place for a request; what its last owner left there is not cleared.

        Raises:
            RuntimeError: every slot is taken.
        """
        if self.free_requests == 0:
            raise RuntimeError(f"all {len(self._live)} request places are taken")
        request = Request(tuple(self._free_slots.pop() for _ in range(self.width)))
        self._live.add(request)
        return request

    def free(self, request: Request) -> None:
        """Give a request's slots and pages back; the next requests get them first.

        Raises:
            ValueError: the request is not of this state, or is free already.
        """
        self._check(request)
        self._live.remove(request)
        self._free_slots += reversed(request.slots)
        self._free_pages += reversed(request.pages)

    def reserve(self, request: Request, rows: int) -> None:
        """Give the request the pages that a context of ``rows`` rows needs.

        Raises:
            ValueError: the request is not of this state, or is free already.
            RuntimeError: there are not enough pages; nothing is taken.
        """
        self._check(request)
        missing = -(-rows // self.rows_a_page) - len(request.pages)
        if missing > self.free_pages:
            raise RuntimeError(
                f"a context of {rows} rows needs {missing} more pages, {self.free_pages} are free"
            )
        request.pages += [self._free_pages.pop() for _ in range(missing)]

    def _check(self, request: Request) -> None:
        if request not in self._live:
            raise ValueError("the request must be one that this state allocated and has not freed")

    # -- steps -------------------------------------------------------------------------------

    def index_tensors(
        self, requests: Sequence[Request | None], context_len: Sequence[int]
    ) -> dict[str, Tensor]:
        """Where a step's requests lie; None is a padded request, on the null slot and page.

        Returns:
            ``state_index`` ``[R, L]``, ``block_table`` ``[R, max_pages]``, ``context_len``
            ``[R]``, all int32.
        """
        columns = max([1, *(len(r.pages) for r in requests if r)])
        slots = [list(r.slots) if r else [NULL_SLOT] * self.width for r in requests]
        pages = [r.pages if r else [] for r in requests]
        table = [row + [NULL_PAGE] * (columns - len(row)) for row in pages]
        return {
            "state_index": torch.tensor(slots, dtype=torch.int32),
            "block_table": torch.tensor(table, dtype=torch.int32),
            "context_len": torch.tensor(list(context_len), dtype=torch.int32),
        }

    def pools(self, layer: int, rank: int) -> dict[str, Value]:
        """The pools one rank's stages of a layer read, by their names."""
        if layer in self.kv:
            return {"kv_cache": self.kv[layer][rank % self.options.dcp]}
        return {
            "conv_state": self.conv[layer][rank],
            "recurrent_state": self.recurrent[layer][rank],
        }

    def store(self, layer: int, rank: int, taps: dict[str, Value], request: Request | None) -> None:
        """Keep what a rank's stages of a layer left.

        Args:
            taps: with the whole pools after a step; or, of a KDA prefill, ``conv_window``
                ``[C, W-1]`` and ``last_state`` ``[h, d_v, d_k]``.
            request: the request of a prefill.
        """
        if layer in self.kv:
            self.kv[layer][rank % self.options.dcp] = taps["kv_cache_after"]
        elif request is None:
            self.conv[layer][rank] = taps["conv_state_after"]
            self.recurrent[layer][rank] = taps["recurrent_state_after"]
        else:
            self._store_prefill(layer, rank, taps, request.slots[0])

    def _store_prefill(self, layer: int, rank: int, taps: dict[str, Value], slot: int) -> None:
        """As a step with one accepted row leaves it: that row's state and the taps it ends at.

        The window's later entries, where such a step has its rejected rows, are never read.
        """
        window = self.conv[layer][rank][slot]
        if not self.options.conv_dim_first:
            window = window.transpose(0, 1)
        taps_kept = taps["conv_window"]
        window[:, : taps_kept.shape[1]] = taps_kept
        window[:, taps_kept.shape[1] :] = 0
        self.recurrent[layer][rank][slot] = taps["last_state"]
