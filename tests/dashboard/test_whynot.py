"""Why a passage was not found: each reason is the real one."""

import pytest
import recorded
from passages import hit

from dashboard.whynot import _Standing, _verdict
from rag.models import Filters, Query

CHUNK = hit("The pump is tested every March by Dr Ek. Valves are oiled twice a year, in May and October.").model_copy(
    update={"chunk_id": "pump", "chapter": 2, "section": "2.2 Pumps", "section_number": "2.2", "page": 3,
            "last_page": 4}
)  # fmt: skip
REFUSED = recorded.refused()


def verdict(cosine=0.4, rank=None, before=None, answer=REFUSED, **query):
    """`rank` as shown, `before` reading."""
    shown = CHUNK.model_copy(update={"rank": rank, "retrieval_rank": before or rank}) if rank else None
    standing = _Standing(CHUNK, dense=(2, cosine), worded=(1, 3.0), shown=shown)
    asked = answer.model_copy(update={"query": Query(question="When is the pump tested?", **query)})
    return _verdict(asked, standing, candidates=50)


def found_at(answer, rank):
    """Return an answer for which the passage was found at a rank."""
    hits = (*answer.retrieved[: rank - 1], CHUNK, *answer.retrieved[rank:])
    return answer.model_copy(update={"retrieved": hits})


@pytest.mark.parametrize(
    ("filters", "excluding"),
    [
        ({"source": "other.pdf"}, "document"),
        ({"chapter": 1}, "chapter"),
        ({"section": "2.20"}, "section"),
        ({"module": "other"}, "module"),
        ({"page": 5}, "page"),
        ({"page": 4}, ""),
        ({"section": "2"}, ""),
        ({"section": "Pumps"}, ""),
    ],
)
def test_each_filter_that_excludes_a_passage_is_named_and_no_other(filters, excluding):
    said = verdict(filters=Filters(**filters))
    assert said == f"The filter on the {excluding} excludes it." if excluding else "excludes" not in said


def test_a_similarity_just_below_0_is_not_below_a_threshold_of_0():
    assert "threshold" not in verdict(cosine=-0.01)
    assert verdict(cosine=-0.01, similarity_threshold=0.1).startswith("Its similarity 0.00 is below")


def test_a_passage_that_was_found_is_told_so_and_why_it_was_not_used():
    said = verdict(answer=found_at(REFUSED, 2), rank=2)
    assert said.startswith("It was found: rank 2 of 5 passages used")
    assert f"The gate did not accept it: {REFUSED.gate.reason}" in said
    assert "the index has changed since" in verdict(rank=1)  # it is found only now
    assert "cites other passages" in verdict(answer=found_at(recorded.answered(), 2))
