"""What the gate sees of a question: four numbers from the readings of what was found, and nothing else.

None of them knows a word, a subject or a language: the reader judged, and these say how its judgements lie together.
"""

import math
from collections.abc import Sequence

from rag.models import RetrievedChunk
from rag.read import log_odds

SIGNALS = ("best", "second", "agree", "clear")  # names of the signals. More of each may only count for an answer.
LOWEST = {"best": log_odds(0.0), "second": log_odds(0.0), "agree": 0.0, "clear": 0.0}
"""The signals where nothing was found or read."""
AGREEING = 5  # how many windows that answer count as full agreement
ABSENT = log_odds(0.24)
"""The most that `best` can be where no document has a code that the question names: of 11 such wordings of everyday
questions none was answered, so at most 24% are (95%, Clopper and Pearson 1934, one-sided)."""


def signals(hits: Sequence[RetrievedChunk], *, has_absent_code: bool = False) -> dict[str, float]:
    """Return the signals of the passages that an answer may rest on, by name.

    - `best`: the highest reading of a window, as log-odds within -8..8; at most `ABSENT` if the question names a code
      that no document has.
    - `second`: the same of the best window of another passage.
    - `agree`: how many windows were read as answering (a probability of at least .5): 5 and more are 1, none is 0.
    - `clear`: the highest mark of a sentence in the best passage, 0..1: whether the answer has a place.
    """
    read = sorted((hit for hit in hits if hit.reading is not None), key=lambda hit: hit.reading or 0.0, reverse=True)
    if not read:
        return dict(LOWEST)
    readings = [one for hit in read for one in hit.window_readings if one is not None]
    return {
        "best": min(log_odds(read[0].reading or 0.0), ABSENT if has_absent_code else math.inf),
        "second": log_odds(read[1].reading or 0.0) if len(read) > 1 else LOWEST["second"],
        "agree": min(sum(one >= 0.5 for one in readings), AGREEING) / AGREEING,
        "clear": max(read[0].marks, default=0.0),
    }
