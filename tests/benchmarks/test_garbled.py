import pytest

from benchmarks.garbled import faults_of
from vista_stream.stages.embedded.parser import load_parse

SAID = "i im it forgot is did know that the music film costs are my went there old sister loud"


@pytest.mark.parametrize(
    ("claim", "sentence", "faults"),
    [
        ("The assistant forgots it.", "I forgot it.", ["no word"]),
        ("The assistantms tired.", "im tired", ["verbless", "no word"]),
        ("The assistant didn't know that.", "I did n't know that", []),
        ("The assistant cannot judge that.", "I cannot judge that, and it is old.", []),
        ("The assistant remembered but.", "I remembered but forgot.", ["dangling"]),
        ("The music is a Belgian film.", "It is a Belgian film.", ["another kind"]),
        ("Costs are high in winter.", "It is high in winter.", ["another kind"]),
        ("The assistant's sister went there.", "My sister went there, she's loud.", []),
        ("The film is old.", "It is old.", []),
    ],
)
def test_a_claim_is_garbled_by_what_its_sentence_has_not(
    claim: str, sentence: str, faults: list[str]
) -> None:
    parse = load_parse()
    if parse is None:
        pytest.skip("no parser is installed")
    said = SAID.split()
    words = sentence.lower().rstrip(".").replace(",", "").replace("'", " ").split()
    assert faults_of(claim, sentence, parse, said={*said, *words}) == faults
