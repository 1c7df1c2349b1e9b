"""Launch a candidate again and again over the same memory: determinism and replay safety."""

from verify.replay.launch import Launch, Mode, Replayable, bind
from verify.replay.record import ReplayRecord
from verify.replay.run import ReplayPlan, replay

__all__ = ["Launch", "Mode", "ReplayPlan", "ReplayRecord", "Replayable", "bind", "replay"]
