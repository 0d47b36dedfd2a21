"""The claims of commands: "Take two tablets." is checked as it stands, whatever was asked."""

from __future__ import annotations

from vista_stream.claims import ClaimKind, Draft
from vista_stream.core.extraction import shapes
from vista_stream.core.extraction.drafts import kind_of_command, whole
from vista_stream.core.extraction.kinds import is_concrete, kind_of
from vista_stream.core.extraction.parsing import Tree
from vista_stream.core.text.plaintext import PlainText


def instructed(body: PlainText) -> list[Draft]:
    """A command as it stands: a fact if it holds a number or a name, else advice; courtesy is neither."""
    asserts = kind_of(body.text) in (ClaimKind.FACT, ClaimKind.RECOMMENDATION)
    if not (asserts or is_concrete(body.text)):
        return []  # "Tell me more." asks of the user what a reference cannot know
    return [whole(body.text, body, kind_of_command(body.text))]


def advised(body: PlainText, tree: Tree, drafts: list[Draft]) -> list[Draft]:
    """A command after a question as it stands, or with the `drafts` of what it follows from.

    So "It is shut on Mondays, so come on Tuesday" states that it is shut.
    """
    follows = (
        bool(drafts) and tree.words[-1].end == len(body.text) and shapes.leads_to_command(tree) is not None
    )
    return commanded(body, tree, drafts) if follows else instructed(body)


def commanded(body: PlainText, tree: Tree, drafts: list[Draft]) -> list[Draft]:
    """The claims of a command, and the `drafts` of its clauses.

    It is told without them where they are its reason, follow it, or lead to it: "It's full, so book early";
    with them where it depends on them: "Since the pan is hot, fry the fish until it is brown".
    """
    if drafts:
        # No aside may be left out, which would move the words.
        beside = shapes.beside_command(tree) if tree.words[-1].end == len(body.text) else None
        if beside is None and not shapes.follows_clause(tree):
            return drafts
        body = body.without([beside]) if beside is not None else body
    told = instructed(body) if is_concrete(body.text) or shapes.requests(tree) else []
    return sorted((*told, *drafts), key=lambda draft: draft.span.start)
