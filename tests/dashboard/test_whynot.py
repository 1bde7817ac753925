"""Why a passage was not found: each reason is the real one."""

import pytest
import recorded
from passages import hit

from dashboard.whynot import _holds, _Standing, _verdict
from rag.models import Answer, Filters, Mode, Query

CHUNK = hit("The pump is tested every March by Dr Ek. Valves are oiled twice a year, in May and October.").model_copy(
    update={
        "chunk_id": "pump",
        "chapter": 2,
        "section": "2.2 Pumps",
        "section_number": "2.2",
        "page": 3,
        "last_page": 4,
    }
)
REFUSED = recorded.refused()


def verdict(
    cosine: float = 0.4, rank: int | None = None, before: int | None = None, answer: Answer = REFUSED, **query: object
) -> str:
    """`rank` as shown, `before` reading."""
    shown = CHUNK.model_copy(update={"rank": rank, "retrieval_rank": before or rank}) if rank else None
    standing = _Standing(CHUNK, dense=(2, cosine), worded=(1, 3.0), shown=shown)
    asked = answer.model_copy(update={"query": Query(question="When is the pump tested?", **query)})
    return _verdict(asked, standing, candidates=50)


def found_at(answer: Answer, rank: int) -> Answer:
    """Return an answer for which the passage was found at a rank."""
    hits = (*answer.retrieved[: rank - 1], CHUNK, *answer.retrieved[rank:])
    return answer.model_copy(update={"retrieved": hits})


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"source": "other.pdf"}, "document"),
        ({"chapter": 1}, "chapter"),
        ({"section": "2.20"}, "section"),
        ({"module": "other"}, "module"),
        ({"page": 5}, "page"),
    ],
)
def test_each_filter_that_excludes_a_passage_is_named(filters: dict[str, object], said: str) -> None:
    assert verdict(filters=Filters(**filters)) == f"The filter on the {said} excludes it."


@pytest.mark.parametrize("filters", [{"section": "2"}, {"section": "2.2"}, {"section": "Pumps"}, {"page": 4}])
def test_a_filter_that_holds_the_passage_is_not_blamed(filters: dict[str, object]) -> None:
    assert "excludes" not in verdict(filters=Filters(**filters))


def test_in_chapter_aware_mode_the_chapter_is_no_wall() -> None:
    said = verdict(filters=Filters(chapter=1), mode=Mode.CHAPTER_AWARE, rank=1)
    assert said.startswith("It is found now: rank 1")


def test_a_similarity_just_below_0_is_not_below_a_threshold_of_0() -> None:
    assert "threshold" not in verdict(cosine=-0.01)
    assert verdict(cosine=-0.01, similarity_threshold=0.1).startswith("Its similarity 0.00 is below")


def test_a_passage_across_two_chunks_stands_in_each_that_has_a_whole_sentence_of_it() -> None:
    assert _holds(CHUNK, "Close the lid. The pump is tested every March by Dr Ek.")
    assert not _holds(CHUNK, "Close the lid. Lock it.")


def test_one_passage_is_told_as_one() -> None:
    assert "rank 1 of 1 passage used" in verdict(rank=1, top_k=1)
    assert "only the first passage is used" in verdict(rank=3, top_k=1)
    assert "only the first 2 passages are used" in verdict(rank=3, top_k=2)


def test_what_reading_moved_down_is_told_with_both_ranks() -> None:
    assert "at rank 7 (rank 2 before reading); only the first 5" in verdict(rank=7, before=2)
    assert "before reading" not in verdict(rank=7, before=7)


def test_a_passage_that_was_found_and_refused_is_told_so_and_why() -> None:
    said = verdict(answer=found_at(REFUSED, 2), rank=2)
    assert said.startswith("It was found: rank 2 of 5 passages used")
    assert f"It was not missing, it was not believed: {REFUSED.gate.reason}" in said  # type: ignore[union-attr]
    assert "index has changed" not in said


def test_a_passage_that_is_found_only_now_says_that_the_index_has_changed() -> None:
    assert "the index has changed since" in verdict(rank=1)


def test_a_passage_that_was_found_for_an_answer_says_whether_it_is_cited() -> None:
    assert "it was not cited" in verdict(answer=found_at(recorded.answered(), 2))
    cited = recorded.answered().citations[0].chunk_id
    whole = recorded.answered()
    whole = whole.model_copy(update={"retrieved": (CHUNK.model_copy(update={"chunk_id": cited}), *whole.retrieved[1:])})
    standing = _Standing(whole.retrieved[0], dense=(1, 0.9), worded=None, shown=None)
    assert _verdict(whole, standing, candidates=50).endswith("The answer cites it.")
