"""What the deterministic tier says of a claim and one piece of evidence."""

from vista_stream.core.rules.compare import compare, prepare

SONG = "The song was written by John Lennon."


def ruling(claim: str, evidence: str) -> str | None:
    found = compare(prepare(claim), prepare(evidence))
    return found.category if found else None
