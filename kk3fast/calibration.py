"""The cost model's constants: vLLM 0.33.0's builds at 8 rows, 8 blocks, against published times.

Counts are of one rank's simulated launch at production shapes and 7 drafts (``verify isa
--simulate``); the times were published for 8 × MI355X, graph-replayed.
"""

from __future__ import annotations

from kk3fast.cost import Work, calibrate

K1_US = 36.7
K2_US = 104.8
K1 = Work(
    bytes=11_833_344 + 91_750_400 + 31_877_984 + 6_324 + 6_522_880 + 789_056,
    handoffs=7,
)
K2 = Work(
    bytes=57_176_064 + 359_989_248 + 55_069_328 + 71_084_172 + 229_376 + 445_408 + 4_759_552,
    handoffs=13,
)
MODEL = calibrate(K1, K1_US, K2, K2_US)
"""About 0.13 µs a megabyte and 2.4 µs a hand-off."""
