"""Tile sizes. Found by timing others beside them on one H200; other GPUs start from them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import triton


@dataclass(frozen=True)
class LinearTiles:
    """Tiles of a product with a large matrix.

    Attributes:
        bn, bk: rows of the matrix a program owns, columns a step of its loop takes.
        warps, stages: of a program; loads in flight.
        prefetch: bytes of each row asked for before the kernel before has ended, in whole
            512 (the rest is not asked for).
    """

    bn: int = 32
    bk: int = 256
    warps: int = 4
    stages: int = 4
    prefetch: int = 0

    def fit(self, k: int) -> LinearTiles:
        """The same tiles for a matrix of ``k`` columns, which may be fewer than ``bk``."""
        bk = min(self.bk, max(16, triton.next_power_of_2(k)))
        while bk > 64 and k % bk:
            bk //= 2
        return replace(self, bk=bk, prefetch=min(self.prefetch, 2 * k) // 512 * 512)


@dataclass(frozen=True)
class K1Tiles:
    """Tiles of K1."""

    in_proj: LinearTiles = LinearTiles(bn=64, bk=256, warps=4, stages=4)
    attn_warps: int = 16
    split: int = 4
    kda_warps: int = 8


@dataclass(frozen=True)
class DecodeTiles:
    """Tiles of the fused KDA decode."""

    split: int = 1
    warps: int = 4


@dataclass(frozen=True)
class K2Tiles:
    """Tiles of K2.

    Attributes:
        o_proj, x_proj, shared_down: the dense products.
        up: the tail's; ``bn`` must divide the rank's own columns.
        expert_groups, expert_warps, expert_stages: the experts' first product.
        down_rows, down_groups, down_warps: their second; at least 32 rows.
        latent_warps: the latent all-reduce.
        reduce_words: words of a row an all-reduce program sums.
    """

    o_proj: LinearTiles = LinearTiles(bk=256, warps=2)
    x_proj: LinearTiles = LinearTiles(bn=16, bk=128, warps=2, stages=8)
    shared_down: LinearTiles = LinearTiles(stages=3, warps=2)
    up: LinearTiles = LinearTiles(bn=16, bk=512, warps=2)
    attn_warps: int = 16
    expert_groups: int = 8
    expert_warps: int = 1
    expert_stages: int = 1
    down_rows: int = 32
    down_groups: int = 4
    down_warps: int = 1
    latent_warps: int = 16
    reduce_words: int = 512


@dataclass(frozen=True)
class M1Tiles:
    """Tiles of M1.

    Attributes:
        queries, keys: queries a program of the attention holds, cache rows a step of its loop.
        splits: the most parts a context is cut into.
    """

    qkv_a: LinearTiles = LinearTiles(prefetch=2048)
    q_b: LinearTiles = LinearTiles(bn=16)
    attn_warps: int = 16
    queries: int = 32
    keys: int = 32
    splits: int = 33
    warps: int = 8
    columns: int = 64
    values: int = 32
