"""Free-running comparison of a layer's outputs and states: informative figures, no verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from kk3ref.stages import Layer, Role
from verify.data.record import EndToEnd

UPSTREAM = {
    "core": "cosine > 0.9999",
    "out": "cosine > 0.9999",
    "prefix_after": "exact (K1), rel-L2 < 1e-2 (K2)",
    "blocks_after": "exact",
    "conv_state_after": "rel-L2 < 1e-3",
    "recurrent_state_after": "rel-L2 < 1e-3",
}
"""Thresholds the production kernels were released with."""


def compare_outputs(
    layer: Layer,
    taps: Sequence[Mapping[str, Tensor]],
    oracle: Sequence[Mapping[str, Tensor]],
    written: Mapping[str, Tensor],
) -> list[EndToEnd]:
    """Cosine, relative L2 and worst row of every floating output and state, over all ranks.

    Args:
        written: for a state pool, which slots the step writes: only these are compared.
    """
    figures = []
    for tap in layer.taps:
        if (
            layer.roles[tap.name] is Role.TAP
            or not tap.dtype.is_floating_point
            or tap.dtype.itemsize < 2
        ):
            continue
        given, exact = ([values[tap.name] for values in side] for side in (taps, oracle))
        if any(g.shape != e.shape for g, e in zip(given, exact, strict=True)):
            continue  # reported by the shape check
        mask = written.get(tap.name, slice(None))
        given, exact = ([t[mask].to(torch.float64) for t in side] for side in (given, exact))
        k = torch.cat([g.reshape(g.shape[0], -1) for g in given])
        o = torch.cat([e.reshape(e.shape[0], -1) for e in exact])
        error, size = (k - o).norm(dim=1), o.norm(dim=1)
        rows = torch.where(error == 0, 0.0, error / size)
        cosine = torch.nn.functional.cosine_similarity(k.flatten(), o.flatten(), 0)
        figures.append(
            EndToEnd(
                output=tap.name,
                cosine=float(cosine),
                rel_l2=float((k - o).norm() / o.norm()),
                worst_row_rel_l2=float(rows.max()),
                upstream=UPSTREAM.get(tap.name, ""),
            )
        )
    return figures
