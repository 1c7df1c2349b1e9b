"""Take a failing record apart: first divergence, its origin, the smallest step that shows it."""

from verify.bisect.run import BisectReport, bisect

__all__ = ["BisectReport", "bisect"]
