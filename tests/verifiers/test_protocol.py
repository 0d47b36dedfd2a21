import json

import numpy as np

from vista_stream.claims import Scores
from vista_stream.verifiers.protocol import checked_scores


def test_rows_of_an_array_become_scores_that_json_takes():
    scored = checked_scores(np.array([[0.5, 0.25, 0.25]], dtype=np.float32), 1)
    assert scored == [Scores(0.5, 0.25, 0.25)]
    assert json.dumps(scored[0].entailment) == "0.5"
