"""Written conversations: the project's own, and one in which the assistant says nothing."""

from pathlib import Path

from vista_stream import training
from vista_stream.training.conversations import Conversation, Reply, read_conversations


def test_the_projects_own_conversations_are_read() -> None:
    found = read_conversations(Path(training.__file__).parent / "written" / "conversations")
    replies = [reply for each in found for reply in each.replies]
    assert (len(found), len(replies)) == (905, 3_061)
    assert sum(len(reply.claims) for reply in replies) == 15_128
    assert len({each.key for each in found}) == len(found)
    assert all(reply.text and reply.reference and reply.claims for reply in replies)


def test_one_without_a_reply_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "part-01.txt").write_text(
        "#dialogue domain=x form=chat\nR: A mill.\nU: Hi\n\n"
        "#dialogue domain=x form=chat\nR: A mill.\nU: Is it old?\nA: Very.\n#claims\nV | The mill is old.\n"
    )
    assert read_conversations(tmp_path) == [
        Conversation("part-01.txt/2", "written", [Reply("Very.", "A mill.", [("The mill is old.", "V")])])
    ]
