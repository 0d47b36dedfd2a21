"""What two numbers say of each other."""

import pytest

from vista_stream.core.quantities import Quantity, read_quantity
from vista_stream.core.quantity_relations import relate_quantities


def read(text: str) -> Quantity:
    found = read_quantity(text.split(), 0)
    assert found is not None
    assert found[1] == len(text.split())
    return found[0]


@pytest.mark.parametrize(
    ("claim", "evidence", "relation"),
    [
        ("3", "three", "same"),
        ("3", "4", "differs"),
        ("19", "20", "differs"),
        ("5 million", "5.1 million", "unclear"),
        ("5 million", "6 million", "differs"),
        ("8.2 billion", "8,200,000,000", "same"),
        ("at least 8,200,000,000", "8.2 billion", "unclear"),
        ("more than 3", "at least 3", "unclear"),
        ("more than 3", "3", "unclear"),
        ("more than 3", "2", "differs"),
        ("more than 3", "less than 3", "differs"),
        ("2 million", "2,148,271", "unclear"),
        ("20,000 km", "21,196 km", "unclear"),
        ("1000", "1400", "differs"),
        ("20", "24", "differs"),
        ("$ 5 to $ 10", "$ 7", "unclear"),
        ("10 % to 20 %", "15 %", "unclear"),
        ("10 % to 20 %", "30 %", "differs"),
        ("10 pounds", "£ 10", "unclear"),
        ("10 kg", "10 pounds", "differs"),
        ("a$ 5", "$ 5", "unclear"),
        ("a$ 5", "€ 5", "differs"),
        ("98.6 ° F", "37 ° C", "same"),
        ("70 ° F", "21 ° C", "same"),
        ("98.1 ° F", "37 ° C", "unclear"),
        ("33 ° F", "0 ° C", "unclear"),
        ("40 ° F", "2 ° C", "differs"),
        ("20 ° C", "25 ° C", "differs"),
        ("37 ° C", "37.2 ° C", "unclear"),
        ("3.1", "3.10", "unclear"),
        ("€ 20.000", "€ 20,000", "unclear"),
        ("1,500", "1.500", "unclear"),
        ("5 km", "5,000 km", "differs"),
        ("0.005", "5", "unclear"),
        ("0.05", "50", "differs"),
        ("0", "5", "differs"),
        ("$ 3.1", "$ 3.10", "same"),
        ("5.10 million", "5.1 million", "same"),
        ("5 km", "5000 m", "same"),
        ("5 km", "3.1 miles", "same"),
        ("5 km", "5 miles", "differs"),
        ("5 km", "5 kg", "differs"),
        ("5 km", "7 kg", "unclear"),
        ("5", "5 km", "unclear"),
        ("5 percent", "5 percentage points", "unclear"),
        ("about 5", "5", "same"),
        ("5", "about 5", "unclear"),
        ("about 100", "110", "unclear"),
        ("about 100", "200", "differs"),
        ("at least 3", "5", "unclear"),
        ("at least 3", "2", "differs"),
        ("at least 3", "at least 3", "same"),
        ("4 to 7", "4 to 6", "differs"),
        ("4 to 7", "5", "unclear"),
        ("third", "3rd", "same"),
        ("third", "fourth", "differs"),
    ],
)
def test_numbers_are_related(claim: str, evidence: str, relation: str) -> None:
    assert relate_quantities(read(claim), read(evidence)) == relation
