"""A rope of 10 mm is not told of by rows for ropes of 6 and 8 mm; in doubt it may be."""

import pytest
from passages import hit

from rag.generate import extract
from rag.language.sizes import unsized
from rag.models import Query

ROPES = ["| Wire rope, 6 mm | monthly | when six wires break within 36 mm |", "| Wire rope, 8 mm | yearly | never |"]
OTHERS = ("rope 6 mm", "rope 8 mm")


@pytest.mark.parametrize(
    "question",
    ["When is a wire rope of 10 mm looked at?", "How often is a 10 mm rope seen to?", "10mm wire rope: when?"],
)
def test_a_size_that_no_row_of_the_kind_has_is_found(question):
    assert unsized(question, ROPES) == ("rope 10 mm", OTHERS)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("When is a wire rope of 8 mm looked at?", ROPES),
        ("When is a wire rope of 36 mm looked at?", ROPES),  # the size stands somewhere
        ("When is a wire rope of 10 mm looked at?", [*ROPES, "| Wire rope, 9 to 12 mm | yearly | never |"]),
        ("When is a wire rope of 10 mm looked at?", [*ROPES, "| Other rope | yearly | never |"]),
        ("When is a wire rope of 10 mm looked at?", ROPES[:1]),  # one row tells nothing apart
        ("When is a wire rope of 10 kg looked at?", ROPES),
        ("When is a wire rope over 10 mm looked at?", ROPES),
        ("May a chain be worn by 10 mm?", ROPES),
        ("When is a wire rope looked at?", ROPES),
    ],
)
def test_a_size_that_is_told_or_may_be_is_left_alone(question, texts):
    assert unsized(question, texts) is None


def test_nothing_is_quoted_for_a_size_that_only_others_are_told_of():
    passage = hit("\n".join(["| Part | Seen to | Discarded |", "| --- | --- | --- |", *ROPES]))

    def told(size):
        query = Query(question=f"When is a wire rope of {size} mm seen to?")
        return extract(query, [passage], document_frequency=lambda _: {}, indexed=9).text

    assert told(10) == ""
    assert told(8).startswith("Part: Wire rope, 8 mm; Seen to: yearly")
