"""Kernels of other projects, compiled from their own sources to be run beside ours."""
