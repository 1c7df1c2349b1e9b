"""What people look at, made from records alone. ``reports.plots`` needs the extra ``report``."""

from reports.frames import Frames, load
from reports.tensors import failing

__all__ = ["Frames", "failing", "load"]
