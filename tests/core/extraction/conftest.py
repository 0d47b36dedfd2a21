"""The parser, loaded once a module."""

import pytest

from vista_stream.core.extraction.parsing import Parse
from vista_stream.stages.embedded.parser import load_parse


@pytest.fixture(scope="module")
def parse() -> Parse:
    loaded = load_parse()
    if loaded is None:
        pytest.skip("no parser is installed")
    return loaded
