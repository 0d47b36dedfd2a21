"""Kills each part of a deployment once under load, and checks what its clients saw and what was kept.

    python -m benchmarks.outages [--streams N] [--seconds S] [--pace T] [--down S] [--only PART…]
        [--logs FOLDER]

`deploy/local_topology.py` starts an upstream, Redis, a verifier pool of two and two replicas of the proxy as
processes of this machine. N streams run conversations through the replicas, each turn through the other one.
Meanwhile each part is killed (SIGKILL) and started again --down seconds later, one after the other. A client
whose request fails sends it again, to the other replica, after a pause.

Then every conversation is guarded once more in this process, with the embedded verifier and no pool, store or
proxy. What the clients saw must be that: the text, the claims, verdicts and scores, also of answers that
broke off as far as they came; and the common ground in Redis. No contradicted claim may be shown, no name of
another conversation, and no error but those that `outages_checks.DOCUMENTED` names, while that part is down.
A claim may lack a verdict by the policy's deadline, by overload, or where no verifier answered during an
outage of one; later answers of its conversation are counted and not compared. Where the upstream breaks off,
what came of the last sentence is judged as it stands, and is not compared.
The exit status is 0 where all of it holds. The policy is the default one with a longer deadline (--deadline),
so that what is slow on a small machine is no difference.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.outages_checks import (
    Attempt,
    Findings,
    Outage,
    Piece,
    check_answer,
    check_errors,
    check_ground,
    errors_of,
    guarded_here,
)
from benchmarks.outages_talks import Talk, talk
from benchmarks.record import RESULTS, save
from deploy.local_topology import TOKEN, Part, Plan, Topology, started
from vista_stream import Policy
from vista_stream.stores import open_store

TRIES = 40
"""Requests for one answer before a client gives it up."""
_LONGEST_PAUSE = 2.0
_CLIENT = hashlib.sha256(TOKEN.encode()).hexdigest()[:16]
"""What the proxy puts before the names of the conversations of this token's bearer."""


class Clients:
    """Streams of conversations through the replicas; keeps every attempt."""

    def __init__(self, http: aiohttp.ClientSession, proxies: Sequence[Part], *, begun: float) -> None:
        self._http, self._proxies = http, proxies
        self._begun = begun
        self._talks = 0
        self.ending = False
        """Set it to have the streams end after the answer that is under way."""
        self.attempts: list[Attempt] = []
        self.given_up = 0

    async def stream(self, wait: float) -> None:
        """One conversation after another; the first begins after `wait` seconds."""
        await asyncio.sleep(wait)
        while not self.ending:
            number, self._talks = self._talks, self._talks + 1
            await self._talk(number)

    async def _talk(self, number: int) -> None:
        current, messages = talk(number), list[dict[str, str]]()
        for turn, said in enumerate(current.turns):
            if self.ending:
                return
            messages.append({"role": "user", "content": said.question})
            text = await self._answered(number, current, turn, messages)
            if text is None:
                self.given_up += 1
                return
            messages.append({"role": "assistant", "content": text})

    async def _answered(
        self, number: int, current: Talk, turn: int, messages: Sequence[dict[str, str]]
    ) -> str | None:
        for tried in range(TRIES):
            proxy = self._proxies[(number + turn + tried) % len(self._proxies)]
            attempt = await self._attempt(proxy, current, turn, messages)
            self.attempts.append(attempt)
            if attempt.error is None:
                return attempt.text
            await asyncio.sleep(random.uniform(0.5, 1.0) * min(_LONGEST_PAUSE, 0.5 * 2**tried))
        return None

    async def _attempt(
        self, proxy: Part, current: Talk, turn: int, messages: Sequence[dict[str, str]]
    ) -> Attempt:
        said, seen, begun = current.turns[turn], _Seen(), time.monotonic()
        told = {"role": "system", "content": said.answer}  # what the stub is to say; the guard hears users
        body: dict[str, Any] = {"model": "stub", "stream": True, "messages": [told, *messages]}
        if said.with_notes:
            body["vista"] = {"references": [{"name": "notes", "text": current.notes}]}
        headers = {"Authorization": f"Bearer {TOKEN}", "X-Vista-Conversation": current.name}
        url = f"{proxy.url}/v1/chat/completions"
        try:
            async with self._http.post(url, json=body, headers=headers) as response:
                if response.status == 200:
                    async for line in response.content:
                        seen.take(line)
                else:
                    seen.error = (await response.json())["error"]["code"]
        except (aiohttp.ClientError, ConnectionError):
            seen.error = seen.error or "connection"
        return Attempt(
            talk=current,
            turn=turn,
            proxy=proxy.name,
            begun=begun - self._begun,
            over=time.monotonic() - self._begun,
            pieces=seen.pieces,
            error=seen.error or (None if seen.done else "connection"),
        )


class _Seen:
    """What came of an answer."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.error: str | None = None
        self.done = False

    def take(self, line: bytes) -> None:
        """Take in a line of the event stream."""
        self.done = self.done or line.startswith(b"data: [DONE]")
        if not line.startswith(b"data: {"):
            return
        chunk = json.loads(line[6:])
        if "error" in chunk:
            self.error = chunk["error"]["code"]
            return
        text, vista = chunk["choices"][0]["delta"].get("content") or "", chunk.get("vista") or {}
        verdicts, unresolved = vista.get("verdicts", ()), vista.get("unresolved", ())
        self.pieces.append(Piece(text=text, verdicts=verdicts, unresolved=unresolved))


async def kill_each(parts: Sequence[Part], *, begun: float, seconds: float, down: float) -> list[Outage]:
    """Kill the parts one after the other, evenly over the time, and start each again."""
    outages = []
    for number, part in enumerate(parts, 1):
        await asyncio.sleep(max(0.0, begun + number * seconds / (len(parts) + 1) - time.monotonic()))
        killed = time.monotonic() - begun
        await asyncio.to_thread(part.kill)
        await asyncio.sleep(down)
        await asyncio.to_thread(part.start)
        await asyncio.to_thread(part.wait)
        outages.append(Outage(part=part.name, killed=killed, ready=time.monotonic() - begun))
        print(f"{part.name} was down from {killed:.1f} s to {outages[-1].ready:.1f} s", flush=True)
    return outages


async def load(topology: Topology, options: argparse.Namespace) -> tuple[Clients, list[Outage], list[int]]:
    """Run the streams and the outages; also the pairs that each verifier scored since it was started last."""
    begun = time.monotonic()
    parts, seconds = list(topology.parts.values()), options.seconds
    killed = [part for part in parts if options.only is None or part.name in options.only]
    connector, timeout = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=None, sock_connect=5)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as http:
        clients = Clients(http, topology.proxies, begun=begun)

        async def outages() -> list[Outage]:
            found = await kill_each(killed, begun=begun, seconds=seconds, down=options.down)
            await asyncio.sleep(max(0.0, begun + seconds - time.monotonic()))
            clients.ending = True
            return found

        # The first turns are spread over about an answer's length, so that claims come evenly.
        spread = min(25 / options.pace, seconds / 4) / options.streams
        streams = (clients.stream(number * spread) for number in range(options.streams))
        killing = asyncio.create_task(outages())
        await asyncio.gather(killing, *streams)
        scored = []
        for part in (part for part in parts if part.name.startswith("verifier-")):
            async with http.get(f"{part.url}/stats") as answer:
                scored.append((await answer.json())["pairs"])
    return clients, killing.result(), scored


async def check(
    attempts: Sequence[Attempt], store_url: str, policy: Policy
) -> tuple[Findings, dict[str, Any]]:
    """Guard the conversations here and compare; also counts of what was compared."""
    findings, counted = Findings(), Counter[str]()
    by_talk: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        by_talk.setdefault(attempt.talk.name, []).append(attempt)
    async with open_store(store_url) as store:
        for name, tried in by_talk.items():
            # After a claim without a verdict the common ground lacks it, so later answers may differ.
            ended = sum(attempt.error is None for attempt in tried)
            compared = min(
                (each.turn for each in tried if each.error is None and each.unresolved), default=ended
            )
            answers, ground = await guarded_here(tried[0].talk, 1 + max(each.turn for each in tried), policy)
            for attempt in tried:
                if attempt.turn <= compared:
                    check_answer(attempt, answers[attempt.turn], findings, names=list(by_talk))
            counted["answers not compared, after a claim without a verdict"] += ended - compared
            kept = await store.load(f"{_CLIENT}/{name}")
            due, kept = ([each for each in said if each.turn < compared] for said in (ground, kept))
            check_ground(tried[0].talk, kept, due, findings)
            counted["statements"] += len(due)
            for turn, answer in zip(tried[0].talk.turns[:compared], answers, strict=False):
                rows = answer.verdicts.values()
                counted["claims"] += len(rows)
                counted["judged by the model"] += sum(row["tier"] == "model" for row in rows)
                counted["contradicted, vital"] += sum(
                    (row["category"], row["importance"]) == ("contradicted", "vital") for row in rows
                )
                counted["false sentences"] += turn.false is not None
                counted["false sentences shown here too"] += bool(turn.false and turn.false in answer.text)
    return findings, dict(counted)


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """All figures of a run; "found" has what must not be, and is empty where everything holds."""
    policy = Policy(deadline=options.deadline)
    (folder / "policy.toml").write_text(f"deadline = {options.deadline}\n")
    plan = Plan(store="redis", pool=True, pace=options.pace, policy=str(folder / "policy.toml"))
    with started(plan, folder) as topology:
        clients, outages, scored = asyncio.run(load(topology, options))
        attempts = clients.attempts
        print(f"{len(attempts)} requests; now the same conversations in this process", flush=True)
        relaxed = replace(policy, deadline=3600.0)
        findings, counted = asyncio.run(check(attempts, topology.store, relaxed))
    check_errors(attempts, outages, findings)
    for _ in range(clients.given_up):
        findings.note("given up", f"after {TRIES} requests")
    return {
        "run": {name: getattr(options, name) for name in ("streams", "seconds", "pace", "down", "deadline")},
        "conversations": len({each.talk.name for each in attempts}),
        "answers": sum(each.error is None for each in attempts),
        **counted,
        "requests that failed": dict(Counter(each.error for each in attempts if each.error is not None)),
        "claims without a verdict": dict(
            Counter(row["reason"] for each in attempts for row in each.unresolved)
        ),
        "outages": [
            {
                "part": each.part,
                "from": round(each.killed, 1),
                "to": round(each.ready, 1),
                "errors": errors_of(attempts, each),
            }
            for each in outages
        ],
        "pairs scored by the pool since it was restarted": scored,
        "found": dict(findings.counts),
        "examples": findings.examples,
    }


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--pace", type=float, default=1.0, help="tokens a second of each stream (1)")
    parser.add_argument("--down", type=float, default=5.0, help="seconds until a part is started again (5)")
    parser.add_argument("--deadline", type=float, default=30.0, help="of a claim, in seconds (30)")
    parser.add_argument("--only", nargs="+", metavar="PART", help="kill these alone, such as verifier-1")
    parser.add_argument("--logs", type=Path, help="folder in which the logs and files of the parts stay")
    parser.add_argument("--out", type=Path, default=RESULTS / "outages.json")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that all parts are stopped
    with ExitStack() as stack:
        folder = options.logs
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vista-stream-")))
        folder.mkdir(parents=True, exist_ok=True)
        figures = measure(folder, options)
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    save(options.out, figures)
    return 1 if figures["found"] else 0


if __name__ == "__main__":
    sys.exit(main())
