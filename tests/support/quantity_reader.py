"""Numbers as the rules read them."""

from vista_stream.core.rules.quantities import Quantity, read_quantity


def read(text: str) -> Quantity:
    """The quantity that the whole text is."""
    found = read_quantity(text.split(), 0)
    assert found is not None
    assert found[1] == len(text.split())
    return found[0]
