"""Several processes that end turns of one conversation at once, and what must be true after."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

_WRITER = Path(__file__).with_name("store_writer.py")


@contextmanager
def writers(url, names, turns):
    """The processes by name; killed at the end."""
    with ExitStack() as stack:
        running = {}
        for name in names:
            command = [sys.executable, str(_WRITER), url, name, str(turns)]
            running[name] = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(running[name].kill)
        yield running


def acknowledged(running):
    """By name, what each process was told is kept; they must end well."""
    told = {name: process.stdout.read().splitlines() for name, process in running.items()}
    assert [process.wait(30) for process in running.values()] == [0] * len(running)
    return told


def check(conversation, told):
    """Nothing was lost, nothing doubled, each process's turns are in its order, all numbered in one."""
    texts = [statement.text for statement in conversation.statements]
    expected = Counter(text for one in told.values() for text in one)
    lost, doubled = expected - Counter(texts), Counter(texts) - expected
    assert not lost, lost
    assert not doubled, doubled
    for name, one in told.items():
        assert [text for text in texts if text.startswith(f"{name} ")] == one
    assert [statement.turn for statement in conversation.statements] == list(range(len(texts)))
    assert [entry.place for entry in conversation.kept] == list(range(len(texts)))
    assert conversation.turns == len(texts)
