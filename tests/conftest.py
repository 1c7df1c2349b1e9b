"""Settings of every test, and what several packages' tests need."""

from __future__ import annotations

import pytest
import torch

from kk3fast.peers import fetch
from kk3fast.peers.errors import PeerSourcesError
from kk3fast.peers.vllm_sources import kernel_folder

# The tests' tensors are small: threads cost more than they bring, and make times jump.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def vllm_sources() -> None:
    """vLLM's kernel sources, fetched by the documented command where they are not there."""
    try:
        kernel_folder()
    except PeerSourcesError:
        assert fetch.main([]) == 0
