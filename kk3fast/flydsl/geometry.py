"""How every kernel is launched: one workgroup a compute unit, all resident at once."""

from __future__ import annotations

WORKGROUPS = 256
"""compute units of an MI355X; a spin wait on another workgroup needs that one to be running"""
THREADS = 512
WAVE = 64
WAVES = THREADS // WAVE
EPOCH_MODULUS = 1 << 22
SLOTS = 256
"""launches of one step that a tag tells apart"""
HEALTH_HEADER_WORDS = 8
RECORD_WORDS = 8
FAILED_WORD = 0
"""of the health words: not zero once a wait of this rank gave up"""


def health_words(workgroups: int) -> int:
    """int32 words of a rank's health buffer: a header, then a record a workgroup."""
    return HEALTH_HEADER_WORDS + RECORD_WORDS * workgroups


def launch_tag(epoch: int, slot: int) -> int:
    """The tag of every mailbox pair that launch ``slot`` (0 … 255) of step ``epoch`` writes."""
    return epoch % EPOCH_MODULUS * SLOTS + slot + 1
