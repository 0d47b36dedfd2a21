"""The demo's output: written and shown text side by side in a terminal, line by line elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import fill

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from vista_stream.claims import Category, Importance, Verdict
from vista_stream.cli.play import NO_CLAIM, UNRESOLVED, Piece, Play
from vista_stream.cli.summary import category_name, milliseconds, percentile, source_of

COLOURS = {
    "verified": "green",
    "contradicted": "red",
    "lacking evidence": "yellow",
    "out of scope": "cyan",
    "abstention": "cyan",
    UNRESOLVED: "magenta",
    NO_CLAIM: "default",
}
_WIDTH = 100
_INDENT = " " * 18


def legend() -> Text:
    """What the colours mean."""
    return Text("  ").join(Text(mark, style=colour) for mark, colour in COLOURS.items() if mark != NO_CLAIM)


def note(play: Play) -> str:
    """A note on how the answer was made."""
    alteration = play.scene.alteration
    if alteration is None:
        return "the answer as the language model wrote it"
    return f'the answer altered by hand: "{alteration.was}" became "{alteration.now}"'


def heading(play: Play, number: int, total: int) -> Group:
    """The heading of a scene."""
    return Group(
        Text(),
        Rule(Text(f"{number} of {total}  {play.scene.title}", style="bold"), align="left", style="dim"),
        Text(note(play), style="dim italic"),
        Text.assemble(("Visitor  ", "bold"), play.scene.query),
    )


def stage(play: Play) -> RenderableType:
    """The scene side by side: what the model writes, what the user sees, the evidence beneath."""
    columns = Table.grid(expand=True)
    columns.add_column(ratio=1)
    columns.add_column(ratio=1)
    columns.add_row(
        Panel(_written(play), title="the model writes", title_align="left", border_style="dim"),
        Panel(_seen(play), title="the user sees", title_align="left", border_style="bold"),
    )
    found = [verdict for piece in play.pieces for verdict in piece.contradictions]
    return Group(columns, *(_evidence(verdict) for verdict in found))


def _written(play: Play) -> Text:
    text = Text(play.written, style="dim")
    for piece in play.pieces:
        if piece.blocked:
            text.stylize("red strike", *piece.span)
    if play.report is None:
        text.append("▌")
    return text


def _seen(play: Play) -> Text:
    return Text.assemble(*((piece.shown, _style(piece)) for piece in play.pieces))


def _style(piece: Piece) -> str:
    return "bold red" if piece.blocked else COLOURS[piece.mark]


def _evidence(verdict: Verdict) -> Padding:
    text = Text.assemble(("✗ ", "red"), verdict.claim.text, (f"  {_how(verdict)}", "dim"))
    if verdict.evidence is not None:
        passage = " ".join(verdict.evidence.text.split())
        text.append_text(Text.assemble("\n  “", passage, "” ", (source_of(verdict.evidence), "cyan")))
    return Padding(text, (0, 1))


def _how(verdict: Verdict) -> str:
    importance = verdict.claim.importance.value.replace("_", " ")
    return f"{importance}, contradicted ({verdict.tier}), {milliseconds(verdict.elapsed)}"


def transcript(piece: Piece) -> Iterator[str]:
    """A decided sentence as lines: its mark before it; below it what was blocked, and the evidence."""
    if not piece.written.strip():
        return
    yield _item("BLOCKED" if piece.blocked else piece.mark, piece.shown)
    if piece.blocked:
        yield _item("", f"the model wrote: {piece.written.strip()}")
    for verdict in piece.contradictions:
        yield _item("", f"{_how(verdict)}: {verdict.claim.text}")
        if verdict.evidence is not None:
            passage = " ".join(verdict.evidence.text.split())
            yield _item("", f"{source_of(verdict.evidence)}: {passage}")


def _item(mark: str, text: str) -> str:
    lead = f"{mark:<{len(_INDENT)}}"
    return fill(text.strip(), width=_WIDTH, initial_indent=lead, subsequent_indent=_INDENT)


def closing(plays: Sequence[Play]) -> Group:
    """Claims by category and importance, what was blocked, and what the guard cost."""
    verdicts = [verdict for play in plays for verdict in play.verdicts]
    counts = Counter((verdict.category, verdict.claim.importance) for verdict in verdicts)
    table = Table(title="Claims", title_style="bold", title_justify="left")
    table.add_column("")
    for importance in Importance:
        table.add_column(importance.value.replace("_", " "), justify="right")
    for category in Category:
        cells = [str(counts[category, importance] or "·") for importance in Importance]
        table.add_row(category_name(category), *cells, style=COLOURS[category_name(category)])
    return Group(Text(), table, *(Text(line) for line in _balance(plays)))


def _balance(plays: Sequence[Play]) -> Iterator[str]:
    blocked = sum(piece.blocked for play in plays for piece in play.pieces)
    sentences = sum(bool(piece.written.strip()) for play in plays for piece in play.pieces)
    altered = [play for play in plays if play.scene.alteration is not None]
    yield f"Sentences blocked: {blocked} of {sentences}"
    caught = sum(play.alteration_blocked for play in altered)
    yield f"Facts altered by hand: {len(altered)}, blocked: {caught}"
    waits = [wait for play in plays if play.report for wait in play.report.hold_backs]
    p50, p95 = milliseconds(percentile(waits, 0.5)), milliseconds(percentile(waits, 0.95))
    yield f"Added to a sentence: {p50} (median), {p95} (95th percentile); no network, no GPU"
