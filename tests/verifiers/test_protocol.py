import json

import numpy as np
import pytest

from vista_stream.claims import Scores
from vista_stream.core.judge import Thresholds
from vista_stream.verifiers.protocol import checked_scores, thresholds_of


def test_rows_of_an_array_become_scores_that_json_takes():
    scored = checked_scores(np.array([[0.5, 0.25, 0.25]], dtype=np.float32), 1)
    assert scored == [Scores(0.5, 0.25, 0.25)]
    assert json.dumps(scored[0].entailment) == "0.5"


def test_thresholds_that_are_none_are_named():
    class Own:
        thresholds = 0.9

    with pytest.raises(ValueError, match=r"thresholds of Own must be a Thresholds, not 0\.9"):
        thresholds_of(Own())
    assert thresholds_of(object()) == Thresholds()
