"""Two settings tried on the same recorded questions: which end otherwise under the second, for better or worse."""

import numpy as np
import pandas as pd

from rag.whatif.arrays import OUTCOMES, WhatIf

COLUMNS = [
    "request_id", "question", "change", "answerable", "before", "after", "confidence_before", "confidence_after",
    "threshold_before", "threshold_after", "exact",
]  # fmt: skip
_NEARNESS = {name: place for place, name in enumerate(reversed(OUTCOMES))}
"""How near to an answer each way of ending is."""


def changes_between(before: WhatIf, after: WhatIf) -> pd.DataFrame:
    """Return the questions that end otherwise under the second settings, those that get worse first.

    Nearer to an answer is better where the label says answerable, and worse where it says unanswerable: unsure lies
    between answered and refused. Without a label a question has only flipped. Questions of which either side is not
    known are left out.

    Args:
        before: The first settings.
        after: The second settings, over the same questions in the same order.

    Returns:
        Columns request_id, question, change (regressed, improved or flipped), answerable (1, 0 or NaN), before and
        after (answered, unsure or refused), confidence and threshold of both, and exact: whether the record holds all
        that both rest on. In each kind of change the closest to the threshold of the second settings stands first.
    """
    one, two = before.frame, after.frame
    known = (one["decision"] != "unknown") & (two["decision"] != "unknown")
    rows = (known & (one["decision"] != two["decision"])).to_numpy()
    one, two = one[rows], two[rows]
    nearer = (two["decision"].map(_NEARNESS) > one["decision"].map(_NEARNESS)).to_numpy()
    label = two["answerable"].to_numpy()
    better = np.where(nearer, label == 1, label == 0)
    change = np.where(np.isnan(label), "flipped", np.where(better, "improved", "regressed"))
    frame = pd.DataFrame(
        {
            "request_id": two["request_id"].to_numpy(),
            "question": two["question"].to_numpy(),
            "change": change,
            "answerable": label,
            "before": one["decision"].to_numpy(),
            "after": two["decision"].to_numpy(),
            "confidence_before": one["confidence"].to_numpy(),
            "confidence_after": two["confidence"].to_numpy(),
            "threshold_before": one["threshold"].to_numpy(),
            "threshold_after": two["threshold"].to_numpy(),
            "exact": (one["exact"].to_numpy() & two["exact"].to_numpy()),
        },
        columns=COLUMNS,
    )
    worst_first = frame["change"].map({"regressed": 0, "improved": 1, "flipped": 2}).to_numpy()
    order = np.lexsort((np.abs(two["margin"].to_numpy()), worst_first))
    return frame.iloc[order].reset_index(drop=True)
