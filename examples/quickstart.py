"""The README's example: a false year is blocked before a character of its sentence is shown."""

import asyncio

from vista_stream import Session, VitalContradiction
from vista_stream.testing import replay

REFERENCE = "The Eiffel Tower was completed in 1889. It was designed by the company of Gustave Eiffel."
ANSWER = "The Eiffel Tower was completed in 1899. It was designed by Gustave Eiffel's company."


async def main() -> None:
    session = Session()
    session.add_reference(REFERENCE)
    session.on(VitalContradiction, lambda event: print("FLAGGED:", event.verdict.claim.text))
    async with session.turn(replay(ANSWER, size=4), query="When was the tower completed?") as turn:
        async for text in turn.text():
            print(text, end="", flush=True)
    print(f"\n{turn.report.released} of {turn.report.received} characters released")


asyncio.run(main())
