"""Settings of every test."""

from __future__ import annotations

import torch

# The tests' tensors are small: threads cost more than they bring, and make times jump.
torch.set_num_threads(1)
