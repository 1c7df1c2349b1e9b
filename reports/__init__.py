"""What people look at, made from records alone."""

from reports.frames import Frames, load

__all__ = ["Frames", "load"]
