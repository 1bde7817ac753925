"""Reading: which windows are read, in one batch, and how reader and retrieval order the passages together."""

from math import log

import pytest
from passages import hit
from readers import MARKED, UNMARKED, ScriptedReader

from rag.models import Cuts, Filters, Query, Retrieval
from rag.ranking.cuts import LISTED
from rag.read import RETRIEVAL_WEIGHT, RETURNED, in_order, log_odds, read

QUERY = Query(question="Which gloves are worn?", top_k=2)


def found(*hits, **fields):
    return Retrieval(hits=hits[:2], rest=hits[2:], **fields)


def ids(retrieval):
    return [one.chunk_id for one in (*retrieval.hits, *retrieval.rest)]


def unlikely(question, text):
    return 0.1


def read_with(probability, *hits, marks=lambda question, text: False, **options):
    reader = ScriptedReader(probability, marks)
    return read(QUERY, found(*hits), reader=reader, **options), reader


def test_only_the_best_windows_are_read_and_all_in_one_batch():
    """Fused .9 and .8; the second window of the first passage is .4 less similar than its best: .5, behind both."""
    first = hit("Gloves are worn. Aprons hang there.", cut=(1, 1), cosines=(0.6, 0.2), fused=0.9)
    second = hit("Goggles are worn. Boots stand there.", rank=2, cut=(1, 1), cosines=(0.35, 0.3), fused=0.8)
    third = hit("It rains.", rank=3, cosines=(0.1,), fused=0.2)
    retrieval, reader = read_with(unlikely, first, second, third, windows=3)

    ((question, texts),) = reader.calls
    assert question == QUERY.question
    assert [text.sentences for text in texts] == [((0, 16),), ((0, 17),), ((18, 36),)]  # .9, .8, and .75: .8 - .05
    assert [text.text[start:end] for text in texts for start, end in text.sentences] == [
        "Gloves are worn.",
        "Goggles are worn.",
        "Boots stand there.",
    ]
    assert [one.window_readings for one in retrieval.hits] == [(0.1, None), (0.1, 0.1)]
    assert retrieval.rest[0].window_readings == (None,)


@pytest.mark.parametrize(("probability", "batches"), [(0.6, [8]), (0.59, [8, 4])])
def test_the_other_windows_are_read_only_where_none_of_the_first_answers_surely(probability, batches):
    hits = [hit(f"Rule {number}.", rank=number, fused=1 - number / 20) for number in range(1, 13)]
    retrieval, reader = read_with(lambda question, text: probability, *hits)

    assert [len(texts) for _, texts in reader.calls] == batches
    assert sum(one.reading is not None for one in (*retrieval.hits, *retrieval.rest)) == sum(batches)


def test_passages_stand_by_log_odds_plus_four_times_their_fused_score():
    """ln(.5/.5) + 4 x .9 = 3.6; ln(.9/.1) + 4 x .3 = 2.2 + 1.2 = 3.4; ln(.8/.2) + 4 x .6 = 1.39 + 2.4 = 3.79."""
    likely = {"Gloves.": 0.5, "Goggles.": 0.9, "Boots.": 0.8}
    hits = (hit("Gloves.", fused=0.9), hit("Goggles.", rank=2, fused=0.3), hit("Boots.", rank=3, fused=0.6))
    retrieval, _ = read_with(lambda question, text: likely[text], *hits)

    assert RETRIEVAL_WEIGHT == 4.0
    assert ids(retrieval) == ["chunk-3", "chunk-1", "chunk-2"]
    assert [one.rank for one in (*retrieval.hits, *retrieval.rest)] == [1, 2, 3]
    assert [one.retrieval_rank for one in (*retrieval.hits, *retrieval.rest)] == [3, 1, 2]
    assert (len(retrieval.hits), len(retrieval.rest)) == (2, 1)


def test_the_reading_of_a_passage_is_that_of_its_best_window():
    passage = hit("Gloves are worn. Aprons hang there.", cut=(1, 1))
    retrieval, _ = read_with(lambda question, text: 0.9 if text.startswith("Aprons") else 0.3, passage)

    assert retrieval.hits[0].reading == 0.3  # each window is read with its neighbours, and both begin with gloves
    assert retrieval.hits[0].window_readings == (0.3, 0.3)


def test_what_was_not_read_stands_behind_what_was_in_the_order_of_retrieval():
    hits = [hit(f"Rule {number}.", rank=number, fused=1 - number / 10) for number in range(1, 6)]
    retrieval, _ = read_with(lambda question, text: 0.0001 if text == "Rule 1." else 0.001, *hits, windows=2)

    assert ids(retrieval) == ["chunk-2", "chunk-1", "chunk-3", "chunk-4", "chunk-5"]
    assert [one.reading for one in retrieval.rest] == [None, None, None]
    assert all(one.marks == (0.0,) for one in retrieval.rest)


def test_at_most_twenty_passages_are_kept_and_the_others_are_told_among_what_was_dropped():
    hits = [hit(f"Rule {number}.", rank=number, fused=(31 - number) / 100) for number in range(1, 31)]
    cuts = Cuts(candidates=40, rank=3, unread=7)
    reader = ScriptedReader(unlikely)
    retrieval = read(QUERY, found(*hits, cuts=cuts), reader=reader, windows=30)

    assert ids(retrieval) == [f"chunk-{number}" for number in range(1, RETURNED + 1)]
    assert (retrieval.cuts.rank, retrieval.cuts.unread) == (13, 7)
    assert [one.chunk_id for one in retrieval.cuts.listed] == [f"chunk-{number}" for number in range(21, 31)]
    assert {one.why for one in retrieval.cuts.listed} == {"rank"}
    assert len(retrieval.cuts.listed) <= LISTED


def test_marks_land_on_the_sentences_of_their_window():
    text = "It rains. Wear gloves. It snows. Wash your gloves."
    passage = hit(text, cut=(2, 2), cosines=(0.5, 0.4))
    retrieval, reader = read_with(unlikely, passage, marks=lambda question, sentence: "gloves" in sentence)

    assert retrieval.hits[0].marks == (UNMARKED, MARKED, UNMARKED, MARKED)
    first, second = reader.calls[0][1]
    assert first.text == second.text == text  # each window with its neighbours
    assert [first.text[a:b] for a, b in first.sentences] == ["It rains.", "Wear gloves."]
    assert [second.text[a:b] for a, b in second.sentences] == ["It snows.", "Wash your gloves."]


def test_sentences_of_a_window_that_was_not_read_have_no_mark():
    passage = hit("It rains. Wear gloves.", cut=(1, 1), cosines=(0.5, 0.4))
    retrieval, _ = read_with(unlikely, passage, marks=lambda question, sentence: True, windows=1)

    assert retrieval.hits[0].marks == (MARKED, 0.0)


def test_where_nothing_was_found_the_reader_is_not_asked():
    retrieval, reader = read_with(unlikely)

    assert (retrieval.hits, retrieval.rest, reader.calls) == ((), (), [])


def test_what_retrieval_counted_is_kept():
    before = found(hit("Gloves."), candidates=9, searched=8, indexed=20, below_threshold=2, folded=1)
    after = read(QUERY, before, reader=ScriptedReader(unlikely))

    kept = {"candidates", "searched", "indexed", "below_threshold", "folded", "narrowed", "editions"}
    assert after.model_dump(include=kept) == before.model_dump(include=kept)


def test_the_note_on_the_chapter_is_of_the_passage_that_reading_puts_first():
    query = Query(question="Which gloves?", mode="chapter-aware", filters=Filters(chapter=3))
    inside = hit("It rains.", fused=0.5).model_copy(update={"chapter": 3, "preferred": True})
    outside = hit("Wear gloves.", rank=2, fused=0.4).model_copy(update={"chapter": 4})
    reader = ScriptedReader(lambda question, text: 0.9 if "gloves" in text else 0.01)
    one = read(query, found(inside, outside), reader=reader)
    other = read(query, found(inside, outside), reader=ScriptedReader(unlikely))

    assert one.notes == ("The best passage is outside chapter 3, in chapter 4 of manual.pdf.",)
    assert other.notes == ()


def test_equal_passages_stay_in_the_order_of_retrieval():
    hits = [hit(f"Rule {number}.", rank=number, fused=0.5) for number in (1, 2, 3)]

    assert ids(in_order(found(*hits), list(reversed(hits)), top_k=1)) == ["chunk-1", "chunk-2", "chunk-3"]


@pytest.mark.parametrize(
    ("probability", "odds"), [(0.5, 0.0), (0.75, log(3)), (0.25, -log(3)), (0.0, -8.0), (1.0, 8.0), (0.99999, 8.0)]
)
def test_log_odds_end_at_eight(probability, odds):
    assert log_odds(probability) == pytest.approx(odds)
