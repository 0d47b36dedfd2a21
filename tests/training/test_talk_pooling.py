"""What `Pooling.with_talk` is fitted on: the claims of written talks, as a guard meets them."""

from pathlib import Path

import anyio
import numpy as np
import pytest

import vista_stream

pytest.importorskip("sklearn")

from vista_stream.core.pooling import TALK_FEATURES, Pooling
from vista_stream.training.pooling import fit
from vista_stream.training.talk_pooling import noted
from vista_stream.training.talks import read_talks

SHIPPED = Path(vista_stream.__file__).parent / "models" / "verifier"
TALK = """#conversation field=hotel
R: The Tanakas have room 207, by the lift. Late check-out costs 25 euros.
U: The lift keeps us awake. Could we have another room?
S | You are in room 415 from now on.
T | Sleep well!
U: Which key do I ask for, and can we stay longer?
S | Ask for the key of room 415.
+C | The Tanakas sleep next to the lift.
+N | Room 415 looks out on the lighthouse, and its bed is new.
S | A late check-out costs you 25 euros.
"""


def test_the_facts_of_later_turns_are_noted_with_their_labels(tmp_path):
    path = tmp_path / "talk.txt"
    path.write_text(TALK)
    rows, labels = anyio.run(noted, SHIPPED, read_talks(path))
    assert rows.shape == (len(labels), TALK_FEATURES)
    assert "contradiction" in labels
    assert "neutral" not in labels  # two claims, of which one might be false
    assert (rows[:, -1] == 1).all()


def test_weights_are_fitted_to_what_was_said():
    heard = [(0, 0, 4, -4, 1), (0, 0, -4, 4, 1), (0, 0, -4, -4, 1)] * 5
    labels = ["entailment", "contradiction", "neutral"] * 5
    entailment, contradiction = fit(np.array(heard, float), labels)
    pooling = Pooling(
        entailment=(0,) * 7,
        contradiction=(0,) * 7,
        talk_entailment=entailment,
        talk_contradiction=contradiction,
    )
    assert entailment[2] > 0.1 > entailment[0]
    assert contradiction[3] > 0.1
    assert pooling.hears
