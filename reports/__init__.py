"""What people look at, made from records alone. ``reports.plots`` needs the extra ``report``."""

from reports.frames import EvalFrames, Frames, load, load_eval
from reports.tensors import failing

__all__ = ["EvalFrames", "Frames", "failing", "load", "load_eval"]
