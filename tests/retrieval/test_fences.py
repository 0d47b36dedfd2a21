import pytest

from vista_stream.core.text.segmenter import Segmenter
from vista_stream.retrieval.fences import code_lines
from vista_stream.retrieval.reference import Reference

LISTED = """# Insurance
## Model B
The following are not covered:
- Rental cars
- Taxis
"""
WRAPPED = """## Model B
The battery of this model lasts
for 12 hours in summer and
less than that in winter.

Not covered:

| Part | Fee |
|---|---|
| Lid | €30 |
"""
SHELL = "# Restart the device\nsudo systemctl restart nginx\nkill 1\n"


def coded(text):
    """The lines of a text that are code."""
    segmenter = Segmenter()
    starts = code_lines(text, [*segmenter.feed(text), *segmenter.finish()])
    return [text[at:].partition("\n")[0] for at in sorted(starts)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"```markdown\n{LISTED}```\n", ["```markdown", "```"]),
        ("It opens at 9.\n\n~~~ MD\n## Fees\n- Adults: €6\n~~~\n\nIt closes at 10.\n", ["~~~ MD", "~~~"]),
        (f"kill 1\n```\n\n{LISTED}\n```\nrun\n```\nThe end.\n", ["```", "```"]),
        (f"kill 1\n```\n\n{LISTED}\n```sh\nrun\n```\nThe end.\n", ["```", "```"]),
        (f"It opens at 9.\n\n```text\n{WRAPPED}```\n\nIt closes at 10.\n", ["```text", "```"]),
        ("```\n## Adults\n6 euros\n\n## Children\n3 euros\n```\n", ["```", "```"]),
        (f"> ```\n> Not covered:\n> - Taxis\n> ```\n\n{LISTED}", ["> ```", "> ```"]),
    ],
)
def test_of_a_fence_around_prose_the_fence_alone_is_code(text, code):
    assert coded(text) == code


@pytest.mark.parametrize(
    "block",
    [
        f"```sh\n{SHELL}```",
        f"```\n{SHELL}```",
        f"```text\n{SHELL}```",
        "```\n# Build it\nFROM python:3.12\nRUN pip install .\n```",
        "```\n# Who may log in\nusers:\n- name: Ann\n- name: Ben\n```",
        "```py\n# Removed in version 3.\nprint(1)\n```",
    ],
)
def test_all_lines_of_a_block_of_code_are_code(block):
    assert coded(f"It opens at 9 and closes at 10.\n\n{block}\n\n{LISTED}") == block.split("\n")


def test_a_block_right_after_another_one_is_judged_by_itself():
    assert coded(f"{LISTED}```\n# Stop it\nrun\n```\n```\nmore") == ["```", "# Stop it", "run", "```"]


@pytest.mark.parametrize(
    "text",
    [
        f"```markdown\n{LISTED}```\n",
        f"kill 1\n```\n\n{LISTED}\n```\nrun\n```\nThe end is here.\n",
    ],
)
def test_prose_in_a_fence_is_read_under_its_heading_and_introduction(text):
    reference = Reference(text, name="policy")
    item = next(each for each in reference.windows if "Taxis" in each.text)
    row = next(each for each in reference.sentences_in(item) if each.text.endswith("Rental cars"))
    assert reference.reading(row).endswith("Model B\nThe following are not covered:\n- Rental cars")
