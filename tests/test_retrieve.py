"""A question's vector, what is found by it, and how reader and retrieval order it together."""

import shutil
from functools import partial
from math import log
from types import SimpleNamespace

import numpy as np
import pytest
from at_once import at_once
from library import quiet_settings
from passages import hit
from readers import MARKED, UNMARKED, ScriptedReader

from rag import Candor
from rag.embed import QuestionCache, embed_question
from rag.models import Cuts, Filters, Query, Retrieval
from rag.protocols import SearchScope
from rag.ranking.cuts import LISTED
from rag.read import RETURNED, log_odds, read
from rag.retrieve import RetrievalRules, retrieve
from rag.validate import validate

GLOVES = "Which gloves are required for dichloromethane?"


def find(candor, question, *, rules=RetrievalRules(), **options):
    query = validate(question, **options)
    wiring = candor.wiring
    vector = wiring.embedder.embed([query.question])[0]
    return retrieve(query, vector, store=wiring.store, catalogue=wiring.catalogue, rules=rules)


def everything(found):
    return (*found.hits, *found.rest)


def test_top_k_are_hits_and_thirty_chunks_come_back_with_their_exact_similarities(library):
    found, store = find(library, GLOVES, top_k=20), library.wiring.store
    vector = library.wiring.embedder.embed([GLOVES])[0]
    assert (len(found.hits), len(everything(found))) == (20, 30)
    assert [(hit.rank, hit.retrieval_rank) for hit in everything(found)] == [(n, n) for n in range(1, 31)]
    fused = [hit.fused_score for hit in everything(found)]
    assert fused == sorted(fused, reverse=True)
    assert found.searched == found.indexed == store.count(SearchScope())
    assert all((hit.window_readings, hit.marks) == ((), ()) for hit in everything(found))  # nobody has read them yet
    assert any(len(hit.windows) > 1 for hit in found.hits)
    for one, stored in zip(found.hits, store.fetch([each.chunk_id for each in found.hits]), strict=True):
        assert len(one.window_cosines) == len(one.windows) == len(stored.vectors)
        assert one.window_cosines == pytest.approx([float(np.dot(one, vector)) for one in stored.vectors], abs=1e-5)
        assert one.cosine == max(one.window_cosines)
        assert one.similarity_score == min(max(one.cosine, 0.0), 1.0)
        assert one.best_window == one.windows[one.window_cosines.index(one.cosine)]
    assert [len(find(library, GLOVES, top_k=top_k).hits) for top_k in (1, 5)] == [1, 5]


def test_the_fused_score_is_cosine_and_words_as_they_are_weighed(library):
    """The best BM25 of a question counts (1 + BM25 / largest) / 2; with a weight of 1 words do not count at all."""
    meaning = find(library, GLOVES, rules=RetrievalRules(dense_weight=1.0)).hits[0]
    wording = find(library, GLOVES, rules=RetrievalRules(dense_weight=0.0)).hits[0]
    assert meaning.fused_score == pytest.approx(meaning.cosine)
    assert wording.bm25_rank == 1
    assert 0.5 < wording.fused_score < 1.0


def test_chapter_aware_adds_the_operators_bonus_to_the_chapter_and_keeps_other_filters_as_walls(library):
    plain = {hit.chunk_id: hit for hit in everything(find(library, GLOVES))}
    asked = {"mode": "chapter-aware", "rules": RetrievalRules(chapter_bonus=0.25)}
    aware = everything(find(library, GLOVES, filters={"chapter": 4}, **asked))
    assert all(hit.preferred == (hit.chapter == 4) for hit in aware)
    inside = [hit for hit in aware if hit.preferred and hit.chunk_id in plain]
    assert inside
    for one in inside:
        assert one.fused_score == pytest.approx(plain[one.chunk_id].fused_score + 0.25, abs=1e-6)
    walled = everything(find(library, GLOVES, filters={"chapter": 4, "source": "textbook.md"}, **asked))
    assert {hit.document for hit in walled} == {"textbook.md"}


def test_the_similarity_threshold_drops_single_chunks_and_counts_them(library):
    free = find(library, GLOVES, top_k=20)
    strict = find(library, GLOVES, top_k=20, similarity_threshold=0.45)
    assert [hit.chunk_id for hit in strict.hits] == [hit.chunk_id for hit in free.hits if hit.cosine >= 0.45]
    assert strict.below_threshold > 0
    assert find(library, GLOVES, similarity_threshold=1.0).hits == ()


def test_a_document_under_two_names_is_folded_and_enough_chunks_come_back_to_be_read(library_home, samples, tmp_path):
    home = tmp_path / "data"
    shutil.copytree(library_home, home)
    with Candor.open(quiet_settings(home)) as candor:
        candor.ingest_bytes("textbook copy.md", (samples / "textbook.md").read_bytes())
        found = find(candor, "At what density does firn become glacier ice?")
        contents = [hit.content for hit in everything(found)]
        assert len(contents) == len(set(contents)) >= RETURNED
        assert found.folded > 0


VECTOR = np.zeros(384, dtype=np.float32)


@pytest.mark.parametrize(("code", "absent"), [("RE-2025-0012", ()), ("RE-2024-0013", ("RE-2024-0013",))])
def test_a_code_is_absent_only_where_no_document_has_it_whichever_is_asked(tmp_path, code, absent):
    """Both parts of RE-2024-0013 stand in b.md, and what is asked is a.md alone."""
    (tmp_path / "a.md").write_text("# Invoice RE-2024-0012\n\nThe amount due is 40 euros.")
    (tmp_path / "b.md").write_text("# Invoice RE-2025-0012\n\nIt is for order 0013 of 2024.")
    with Candor.open(quiet_settings(tmp_path / "data")) as own:
        own.ingest([tmp_path / "a.md", tmp_path / "b.md"])
        found = own.retrieve(f"What is due of {code}?", filters=Filters(source="a.md"))
    assert found.retrieval.absent == absent


def test_a_question_is_384_numbers_of_length_1_and_asked_again_costs_no_model(library):
    real, asked, cache = library.wiring.embedder, [], QuestionCache()
    embedder = SimpleNamespace(fingerprint="m", embed=lambda texts: asked.append(texts) or real.embed(texts))
    first, again = (embed_question(Query(question="What is firn?"), embedder=embedder, cache=cache) for _ in range(2))
    assert (first.shape, first.dtype) == ((384,), np.float32)
    assert abs(float(np.linalg.norm(first)) - 1) < 1e-5
    assert np.array_equal(first, again)
    assert len(asked) == 1


def test_threads_may_share_a_cache():
    cache = QuestionCache(size=8)

    def use(start):
        for number in range(2000):
            cache.put("m", str((start + number) % 20), VECTOR)
            cache.get("m", str(number % 20))

    at_once(*(partial(use, start) for start in range(4)))
    assert sum(cache.get("m", str(number)) is not None for number in range(20)) == 8


QUERY = Query(question="Which gloves are worn?", top_k=2)


def read_with(probability, *hits, query=QUERY, marks=lambda question, text: False, windows=24, **fields):
    """Return what was found, all passages as they were read, and the reader; a number is every text's probability."""
    reader = ScriptedReader(probability if callable(probability) else lambda question, text: probability, marks)
    found = read(query, Retrieval(hits=hits[:2], rest=hits[2:], **fields), reader=reader, windows=windows)
    return found, [*found.hits, *found.rest], reader


def ids(passages):
    return [int(one.chunk_id.removeprefix("chunk-")) for one in passages]


def test_only_the_best_windows_are_read_and_all_in_one_batch():
    """Fused .9 and .8; the second window of the first passage is .4 less similar than its best: .5, behind both."""
    first = hit("Gloves are worn. Aprons hang there.", cut=(1, 1), cosines=(0.6, 0.2), fused=0.9)
    second = hit("Goggles are worn. Boots stand there.", rank=2, cut=(1, 1), cosines=(0.35, 0.3), fused=0.8)
    third = hit("It rains.", rank=3, cosines=(0.1,), fused=0.2)
    _, passages, reader = read_with(0.1, first, second, third, windows=3, marks=lambda question, text: True)
    ((question, texts),) = reader.calls
    said = [text.text[start:end] for text in texts for start, end in text.sentences]
    assert question == QUERY.question
    assert said == ["Gloves are worn.", "Goggles are worn.", "Boots stand there."]  # .9, .8, and .75: .8 - .05
    assert [one.window_readings for one in passages] == [(0.1, None), (0.1, 0.1), (None,)]
    assert [one.marks for one in passages] == [(MARKED, 0.0), (MARKED, MARKED), (0.0,)]


@pytest.mark.parametrize(("probability", "batches"), [(0.9, [8]), (0.89, [8, 4])])
def test_the_other_windows_are_read_only_where_none_of_the_first_answers_surely(probability, batches):
    hits = [hit(f"Rule {number}.", rank=number, fused=1 - number / 20) for number in range(1, 13)]
    _, passages, reader = read_with(probability, *hits)
    assert [len(texts) for _, texts in reader.calls] == batches
    assert sum(one.reading is not None for one in passages) == sum(batches)


@pytest.mark.parametrize(("probability", "batches"), [(0.35, [1, 1, 2]), (0.34, [1, 1])])
def test_of_the_passage_that_answers_best_the_rest_is_read(monkeypatch, probability, batches):
    monkeypatch.setattr("rag.read.FIRST", 1)
    rule = hit("Gloves are worn. Not by the saw. Wash them.", cut=(1, 1, 1), cosines=(0.5, -0.4, -0.5), fused=0.5)
    other = hit("It rains. It snows.", rank=2, cut=(1, 1), cosines=(0.5, -0.3), fused=0.4)
    likely = {"Gloves are worn. Not by the saw. Wash them.": probability}
    _, passages, reader = read_with(lambda question, text: likely.get(text, 0.1), rule, other, windows=2)
    assert [len(texts) for _, texts in reader.calls] == batches
    assert [one.reading for one in passages] == [probability, 0.1]
    assert passages[1].window_readings == (0.1, None)


def test_passages_stand_by_log_odds_plus_four_times_their_fused_score():
    """ln(.5/.5) + 4 x .9 = 3.6; ln(.9/.1) + 4 x .3 = 2.2 + 1.2 = 3.4; ln(.8/.2) + 4 x .6 = 1.39 + 2.4 = 3.79."""
    likely = {"Gloves.": 0.5, "Goggles.": 0.9, "Boots.": 0.8}
    hits = (hit("Gloves.", fused=0.9), hit("Goggles.", rank=2, fused=0.3), hit("Boots.", rank=3, fused=0.6))
    found, passages, _ = read_with(lambda question, text: likely[text], *hits)
    assert ids(passages) == [3, 1, 2]
    assert [(one.rank, one.retrieval_rank) for one in passages] == [(1, 3), (2, 1), (3, 2)]
    assert (len(found.hits), len(found.rest)) == (2, 1)


def test_what_was_not_read_stands_behind_what_was_in_the_order_of_retrieval_as_equal_passages_do():
    hits = [hit(f"Rule {number}.", rank=number, fused=1 - number / 10) for number in range(1, 6)]
    _, passages, _ = read_with(lambda question, text: 0.0001 if text == "Rule 1." else 0.001, *hits, windows=2)
    assert ids(passages) == [2, 1, 3, 4, 5]
    assert [one.reading for one in passages[2:]] == [None, None, None]
    equal = [hit(f"Rule {number}.", rank=number, fused=0.5) for number in (3, 1, 2)]
    assert ids(read_with(0.1, *equal)[1]) == [1, 2, 3]


def test_at_most_twenty_passages_are_kept_and_the_others_are_told_among_what_was_dropped():
    hits = [hit(f"Rule {number}.", rank=number, fused=(31 - number) / 100) for number in range(1, 31)]
    counted = {"candidates": 9, "searched": 8, "indexed": 20, "below_threshold": 2, "folded": 1}
    found, passages, _ = read_with(0.1, *hits, windows=30, cuts=Cuts(candidates=40, rank=3, unread=7), **counted)
    assert ids(passages) == list(range(1, RETURNED + 1))
    assert (found.cuts.rank, found.cuts.unread) == (13, 7)
    assert ids(found.cuts.listed) == list(range(21, 31))
    assert {one.why for one in found.cuts.listed} == {"rank"}
    assert len(found.cuts.listed) <= LISTED
    assert found.model_dump(include=counted.keys()) == counted  # what retrieval counted is kept


def test_marks_land_on_the_sentences_of_their_window():
    text = "It rains. Wear gloves. It snows. Wash your gloves."
    passage = hit(text, cut=(2, 2), cosines=(0.5, 0.4))
    _, passages, reader = read_with(0.1, passage, marks=lambda question, sentence: "gloves" in sentence)
    assert passages[0].marks == (UNMARKED, MARKED, UNMARKED, MARKED)
    first, second = reader.calls[0][1]
    assert first.text == second.text == text  # each window with its neighbours
    assert [first.text[a:b] for a, b in first.sentences] == ["It rains.", "Wear gloves."]
    assert [second.text[a:b] for a, b in second.sentences] == ["It snows.", "Wash your gloves."]


def test_the_note_on_the_chapter_is_of_the_passage_that_reading_puts_first():
    query = Query(question="Which gloves?", mode="chapter-aware", filters=Filters(chapter=3))
    inside = hit("It rains.", fused=0.5).model_copy(update={"chapter": 3, "preferred": True})
    outside = hit("Wear gloves.", rank=2, fused=0.4).model_copy(update={"chapter": 4})
    one, *_ = read_with(lambda question, text: 0.9 if "gloves" in text else 0.01, inside, outside, query=query)
    assert one.notes == ("The best passage is outside chapter 3, in chapter 4 of manual.pdf.",)
    assert read_with(0.1, inside, outside, query=query)[0].notes == ()


@pytest.mark.parametrize(
    ("probability", "odds"), [(0.5, 0.0), (0.75, log(3)), (0.25, -log(3)), (0.0, -8.0), (1.0, 8.0), (0.99999, 8.0)]
)
def test_log_odds_end_at_eight(probability, odds):
    assert log_odds(probability) == pytest.approx(odds)
