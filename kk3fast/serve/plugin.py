"""The entry point: it only registers, so that loading it cannot fail for want of a part."""

from __future__ import annotations


def register() -> None:
    """Register the configuration check and the workers' hooks; called by vLLM in every process."""
    raise NotImplementedError
