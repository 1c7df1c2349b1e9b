"""Multi-head latent attention (MLA) without rotary embedding, over a paged latent cache.

Maths: the MLA of DeepSeek-V2 with Kimi-K3's changes: no position embedding (the ``pe`` columns pass
unrotated) and a sigmoid output gate. A cache row is ``[kv | k_pe]``: the normed latent and one key
part that all heads share. Decoding is *absorbed*: ``q_nope·(W_UK kv) = (q_nope·W_UK)·kv``, so that
attention runs in the latent space and ``W_UV`` is applied to its output.

Every function works on one rank's heads (``h``) and on the rows of a step: ``R`` requests of ``L``
rows each, ``S = R·L``, a request's rows adjacent. ``R`` is that of the block table, ``L`` follows.
"""

from kk3ref.mla.attention import attend, attend_unabsorbed, merge, prefill
from kk3ref.mla.cache import (
    KV_DTYPES,
    NO_SLOT,
    NULL_PAGE,
    StoredFormat,
    read_cache,
    slot_mapping,
    write_cache,
)
from kk3ref.mla.projections import (
    absorb_query,
    absorb_query_mxfp4,
    join_query,
    mxfp4_weight,
    norm,
    output_gate,
    project,
    q_b,
    split_projection,
    v_up,
    v_up_mxfp4,
)

__all__ = [
    "KV_DTYPES",
    "NO_SLOT",
    "NULL_PAGE",
    "StoredFormat",
    "absorb_query",
    "absorb_query_mxfp4",
    "attend",
    "attend_unabsorbed",
    "join_query",
    "merge",
    "mxfp4_weight",
    "norm",
    "output_gate",
    "prefill",
    "project",
    "q_b",
    "read_cache",
    "slot_mapping",
    "split_projection",
    "v_up",
    "v_up_mxfp4",
    "write_cache",
]
