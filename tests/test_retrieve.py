import shutil

import numpy as np
import pytest
from library import quiet_settings

from rag import Candor
from rag.protocols import SearchScope
from rag.read import RETURNED
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
    for hit, stored in zip(found.hits, store.fetch([hit.chunk_id for hit in found.hits]), strict=True):
        assert len(hit.window_cosines) == len(hit.windows) == len(stored.vectors)
        assert hit.window_cosines == pytest.approx([float(np.dot(one, vector)) for one in stored.vectors], abs=1e-5)
        assert hit.cosine == max(hit.window_cosines)
        assert hit.similarity_score == min(max(hit.cosine, 0.0), 1.0)
        assert hit.best_window == hit.windows[hit.window_cosines.index(hit.cosine)]
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
    for hit in inside:
        assert hit.fused_score == pytest.approx(plain[hit.chunk_id].fused_score + 0.25, abs=1e-6)
    walled = everything(find(library, GLOVES, filters={"chapter": 4, "source": "textbook.md"}, **asked))
    assert {hit.document for hit in walled} == {"textbook.md"}


def test_the_similarity_threshold_drops_single_chunks_and_counts_them(library):
    free = find(library, GLOVES, top_k=20)
    strict = find(library, GLOVES, top_k=20, similarity_threshold=0.45)

    assert [hit.chunk_id for hit in strict.hits] == [hit.chunk_id for hit in free.hits if hit.cosine >= 0.45]
    assert strict.below_threshold > 0
    assert find(library, GLOVES, similarity_threshold=1.0).hits == ()


def test_a_document_under_two_names_is_folded_and_as_many_chunks_come_back_as_are_kept_after_reading(
    library_home, samples, tmp_path
):
    home = tmp_path / "data"
    shutil.copytree(library_home, home)
    with Candor.open(quiet_settings(home)) as candor:
        candor.ingest_bytes("textbook copy.md", (samples / "textbook.md").read_bytes())
        found = find(candor, "At what density does firn become glacier ice?")

        contents = [hit.content for hit in everything(found)]
        assert len(contents) == len(set(contents)) >= RETURNED
        assert found.folded > 0
