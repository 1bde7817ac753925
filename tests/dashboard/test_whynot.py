"""Why a passage was not found: each reason is the real one."""

import pytest
import recorded
from passages import hit

from dashboard.whynot import _Standing, _verdict, why_not_found
from rag.models import Filters, Query

HOODS = "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second."
CHUNK = hit("The pump is tested every March by Dr Ek.").model_copy(update={"chunk_id": "pump"})
REFUSED = recorded.refused()


@pytest.mark.parametrize(
    ("filters", "excluding"),
    [
        ({"source": "faq.html"}, "document"),
        ({"sources": ("faq.html", "textbook.md")}, "document"),
        ({"sources": ("faq.html",), "collection": "Office"}, "collection"),
        ({"chapter": 7}, "chapter"),
        ({"section": "2.10"}, "section"),
        ({"module": "other"}, "module"),
        ({"page": 12}, "page"),
        ({"page": 6, "section": "2"}, ""),
    ],
)
def test_each_filter_that_excludes_a_passage_is_named_and_no_other(library, filters, excluding):
    query = Query(question="How fast is the air of a hood?", filters=Filters(**filters))
    answer = REFUSED.model_copy(update={"query": query})
    said = why_not_found(library, answer, document="safety_manual.pdf", passage=HOODS).verdict
    assert said == f"The filter on the {excluding} excludes it." if excluding else "excludes" not in said


def verdict(library, cosine=0.4, rank=None, answer=REFUSED, **query):
    """`rank` as shown."""
    shown = CHUNK.model_copy(update={"rank": rank, "retrieval_rank": rank}) if rank else None
    standing = _Standing(CHUNK, dense=(2, cosine), worded=(1, 3.0), shown=shown)
    asked = answer.model_copy(update={"query": Query(question="When is the pump tested?", **query)})
    return _verdict(library, asked, standing)


def test_a_similarity_just_below_0_is_not_below_a_threshold_of_0(library):
    assert "threshold" not in verdict(library, cosine=-0.01)
    assert verdict(library, cosine=-0.01, similarity_threshold=0.1).startswith("Its similarity 0.00 is below")


def test_a_passage_that_was_found_is_told_so_and_why_it_was_not_used(library):
    def found(answer):
        return answer.model_copy(update={"retrieved": (answer.retrieved[0], CHUNK, *answer.retrieved[2:])})

    said = verdict(library, answer=found(REFUSED), rank=2)
    assert said.startswith("It was found: rank 2 of 5 passages used")
    assert f"The gate did not accept it: {REFUSED.gate.reason}" in said
    assert "the index has changed since" in verdict(library, rank=1)  # it is found only now
    assert "cites other passages" in verdict(library, answer=found(recorded.answered()))
