"""Measured speed. Times are of the machine that was asked, never of a simulation."""
