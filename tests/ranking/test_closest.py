"""What retrieval dropped and why, and the sentences that a refusal shows, verbatim and where they stand."""

from types import SimpleNamespace

import pytest
from passages import hit

from rag.models import Retrieval, SectionStart
from rag.ranking.closest import best_sentence, nearest_misses
from rag.ranking.cuts import cuts
from rag.retrieve import retrieve
from rag.validate import validate

TIMES = "| Subject | Year 9 and 10 | Aids |\n| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |"
RAIN = "It rains. Gloves are worn with acids. They are thrown away after use."
RULES = f"{RAIN}\nAprons hang by the door."


def closest(*hits, rest=()):
    return nearest_misses(Retrieval(hits=hits, rest=rest))


def marked(text, place, **options):
    """A passage that was read, of which one sentence is marked."""
    bare = hit(text, **options)
    marks = tuple(0.6 if number == place else 0.1 for number in range(len(bare.sentences)))
    return bare.model_copy(update={"window_readings": (0.3,) * len(bare.windows), "marks": marks})


def test_heads_of_columns_do_not_come_closest_and_a_row_says_what_its_columns_are():
    assert best_sentence(marked(TIMES, 0)) == 1
    assert closest(hit("| Subject | Year 9 and 10 |\n| --- | --- |"))[0].excerpt == "| Subject | Year 9 and 10 |"
    (miss,) = closest(marked(TIMES, 2))
    assert miss.excerpt == miss.sentence == "| Choir | 90 minutes | score |"
    assert miss.stated == "Subject: Choir; Year 9 and 10: 90 minutes; Aids: score"


def test_three_passages_are_shown_in_their_order_with_their_readings_and_the_same_words_once():
    read = [hit(f"Rule {number}.", rank=number, readings=(number / 10,), marks=(0.5,)) for number in (1, 2, 4, 5)]
    shown = closest(read[0], hit("Rule 1.", rank=3), rest=tuple(read[1:]))
    assert [(miss.excerpt, miss.reading) for miss in shown] == [("Rule 1.", 0.1), ("Rule 2.", 0.2), ("Rule 4.", 0.4)]


@pytest.mark.parametrize(
    ("text", "place", "excerpt", "start"),
    [
        (RULES, 0, RAIN, 0),
        (RULES, 1, RAIN, 0),
        (RULES, 3, "Aprons hang by the door.", 70),  # a line by itself
        ("y" * 900, 0, "y" * 200, 0),
        ("Wear gloves " * 40, 0, "Wear gloves " * 16 + "Wear", 0),
    ],
)
def test_the_sentence_marked_most_is_shown_with_its_neighbours_in_200_characters(text, place, excerpt, start):
    passage = marked(text, place)
    (miss,) = closest(passage)
    assert best_sentence(passage) == place
    assert miss.sentence in (passage.sentence_texts[place], excerpt)
    assert (miss.excerpt, miss.start) == (excerpt, start)


def test_an_excerpt_stands_on_its_own_page_and_in_its_own_section():
    text = "Gloves are worn.\n\nAprons are worn."
    places = {"page_starts": ((4, 18),), "section_starts": (SectionStart(offset=18, section="2 Body"),)}
    passages = (marked(text, place, page=3, section="1 Hands").model_copy(update=places) for place in (0, 1))
    found = [(miss.excerpt, miss.page, miss.section) for passage in passages for miss in closest(passage)]
    assert found == [("Gloves are worn.", 3, "1 Hands"), ("Aprons are worn.", 4, "2 Body")]


def candidate(chunk_id, cosine, bm25_score=0.0, dense_rank=None, bm25_rank=None):
    scores = {"cosine": cosine, "bm25_score": bm25_score}
    return SimpleNamespace(chunk_id=chunk_id, dense_rank=dense_rank, bm25_rank=bm25_rank, **scores)


def test_each_candidate_that_is_not_returned_has_its_reason():
    found = cuts(
        [
            candidate("kept", 0.9, 4.0, 1, 1),
            candidate("twin", 0.87654, 3.456, 2, 2),
            candidate("late", 0.6, 0.0, 3),
            candidate("far", 0.4, 1.0, 4, 3),
            candidate("words", 0.31, 0.5, None, 4),  # the cosine of a search by words is only a bound
            candidate("never", 0.55, 0.0, 5),
        ],
        read={"kept": 0.9, "twin": 0.87654, "late": 0.6, "far": 0.4},
        kept={"kept"},
        folded={"twin": 1},
        floor=0.5,
    )
    # rank 4 by words comes before rank 5 by similarity
    assert " ".join(f"{one.chunk_id}:{one.why}:{one.same_as}" for one in found.listed) == (
        "twin:duplicate:1 late:rank:None far:threshold:None words:threshold:None never:unread:None"
    )
    assert (found.candidates, found.duplicate, found.rank, found.threshold, found.unread) == (6, 1, 1, 2, 1)
    twin, words = found.listed[0], found.listed[3]
    assert (twin.cosine, twin.bm25_score, twin.dense_rank, twin.bm25_rank) == (0.8765, 3.46, 2, 2)
    assert (words.cosine, words.dense_rank, words.bm25_rank) == (None, None, 4)


@pytest.mark.parametrize("threshold", [0.0, 0.45])
def test_returned_and_dropped_are_all_candidates_of_a_real_search(library, threshold):
    query, wiring = validate("Which gloves are required?", similarity_threshold=threshold), library.wiring
    vector = wiring.embedder.embed([query.question])[0]
    found = retrieve(query, vector, store=wiring.store, catalogue=wiring.catalogue)
    dropped, returned = found.cuts, {hit.chunk_id for hit in (*found.hits, *found.rest)}
    reasons = dropped.threshold + dropped.duplicate + dropped.rank + dropped.unread
    assert dropped.candidates == found.candidates == reasons + len(returned)
    assert (dropped.threshold, dropped.duplicate) == (found.below_threshold, found.folded)
    assert not returned & {one.chunk_id for one in dropped.listed}
    assert (dropped.threshold > 0) == (threshold > 0)
