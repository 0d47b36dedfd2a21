"""Scoring without a model."""

from __future__ import annotations

import pytest

from vista_stream.stages.stages import Stages
from word_stages import word_stages


@pytest.fixture
def stages() -> Stages:
    return word_stages()
