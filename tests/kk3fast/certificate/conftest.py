"""Helpers beside the tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from kk3fast_certificate_kit import Kit, make_kit


@pytest.fixture
def kit() -> Kit:
    return make_kit()
