"""A process that ends turns of one conversation: `python store_writer.py URL NAME TURNS`.

It writes each turn's text to stdout once the store has acknowledged it. The store is given half a minute.
"""

import asyncio
import sys

from vista_stream import Statement
from vista_stream.stores import EndedTurn, open_store


async def main(url, name, turns):
    async with open_store(url) as store:
        store._patience = 30.0
        for number in range(turns):
            text = f"{name} says {number}."
            turn = EndedTurn(statements=[Statement(text=text, origin="claim", turn=0)])
            await store.end_turn("talk", turn)
            print(text, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
