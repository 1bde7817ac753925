"""Why a passage was not found: each reason is the real one."""

import pytest
import recorded

from dashboard.whynot import why_not_found
from rag.models import Filters, Query

HOODS = "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second."
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
