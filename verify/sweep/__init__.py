"""The whole matrix of runs as resumable work items, on local processes or on Ray."""

from verify.sweep.items import Item, Matrix, make_items
from verify.sweep.merge import SweepRecord
from verify.sweep.run import SweepPlan, sweep

__all__ = ["Item", "Matrix", "SweepPlan", "SweepRecord", "make_items", "sweep"]
