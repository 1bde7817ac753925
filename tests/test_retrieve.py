import shutil
from uuid import uuid4

import numpy as np
import pytest
from library import quiet_settings

from rag import Candor
from rag.errors import InvalidQuery
from rag.models import Filters
from rag.protocols import SearchScope
from rag.read import RETURNED
from rag.retrieve import RetrievalRules, retrieve, retrieve_selected
from rag.validate import validate

GLOVES = "Which gloves are required for dichloromethane?"


def find(candor, question, *, rules=RetrievalRules(), **options):
    query = validate(question, **options)
    wiring = candor.wiring
    vector = wiring.embedder.embed([query.question])[0]
    return retrieve(query, vector, store=wiring.store, catalogue=wiring.catalogue, rules=rules)


def select(candor, question, text, **options):
    query = validate(question, mode="selected-text-only", context=text, **options)
    vector = candor.wiring.embedder.embed([query.question])[0]
    return retrieve_selected(query, vector, candor.wiring.read_selected(text))


def everything(found):
    return (*found.hits, *found.rest)


@pytest.mark.parametrize(
    ("question", "document", "text"),
    [
        (GLOVES, "safety_manual.pdf", "laminate gloves are required"),
        ("What is an esker?", "textbook.md", "An esker is a winding ridge"),
        ("How much does the institute pay per kilometre for a private car?", "travel_policy.docx", "0.30 euros"),
        ("How late can I cancel a booking?", "faq.html", "until 24 hours before"),
    ],
)
def test_the_passage_that_answers_is_the_best_hit(library, question, document, text):
    best = find(library, question).hits[0]

    assert best.document == document
    assert text in " ".join(best.content.split())


def test_what_is_made_without_a_check_is_valid_and_complete(library):
    found = find(library, GLOVES, top_k=3)

    for made in (found, found.cuts, *everything(found)):
        assert list(made.__dict__) == list(type(made).model_fields)
        assert type(made).model_validate_json(made.model_dump_json()) == made
    assert find(library, GLOVES).model_copy(update={"notes": ("x",)}).notes == ("x",)


def test_ranks_count_from_1_by_falling_fused_score(library):
    hits = everything(find(library, GLOVES))

    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.fused_score for hit in hits] == sorted((hit.fused_score for hit in hits), reverse=True)


@pytest.mark.parametrize("top_k", [1, 5, 20])
def test_top_k_are_hits_and_thirty_chunks_come_back(library, top_k):
    found = find(library, GLOVES, top_k=top_k)

    assert (len(found.hits), len(everything(found))) == (top_k, 30)
    assert [hit.retrieval_rank for hit in everything(found)] == [*range(1, 31)]
    assert all((hit.window_readings, hit.marks) == ((), ()) for hit in everything(found))  # nobody has read them yet


def test_the_similarity_is_the_cosine_of_the_question_and_the_best_window_clamped(library):
    found = find(library, GLOVES, top_k=20)
    vector = library.wiring.embedder.embed([GLOVES])[0]

    assert any(len(hit.windows) > 1 for hit in found.hits)
    for hit, stored in zip(found.hits, library.wiring.store.fetch([hit.chunk_id for hit in found.hits]), strict=True):
        assert len(hit.window_cosines) == len(hit.windows) == len(stored.vectors)
        assert hit.window_cosines == pytest.approx([float(np.dot(one, vector)) for one in stored.vectors], abs=1e-5)
        assert hit.cosine == max(hit.window_cosines)
        assert hit.similarity_score == min(max(hit.cosine, 0.0), 1.0)


def test_the_best_window_of_a_chunk_is_the_one_that_is_most_similar(library):
    best = find(library, GLOVES).hits[0]
    start, end = best.best_window

    assert (start, end) == best.windows[best.window_cosines.index(best.cosine)]
    assert "laminate gloves" in " ".join(best.content[start:end].split())


def test_the_fused_score_is_cosine_and_words_as_they_are_weighed(library):
    """The best BM25 of a question counts (1 + BM25 / largest) / 2; with a weight of 1 words do not count at all."""
    meaning = find(library, GLOVES, rules=RetrievalRules(dense_weight=1.0)).hits[0]
    wording = find(library, GLOVES, rules=RetrievalRules(dense_weight=0.0)).hits[0]

    assert meaning.fused_score == pytest.approx(meaning.cosine)
    assert wording.bm25_rank == 1
    assert 0.5 < wording.fused_score < 1.0


def test_a_word_that_only_one_passage_has_is_found_by_it_alone(library):
    found = find(library, "TP-3b", rules=RetrievalRules(dense_weight=0.0))

    assert "TP-3b" in found.hits[0].content
    assert found.hits[0].bm25_rank == 1


def test_a_question_without_content_words_still_finds_by_meaning(library):
    found = find(library, "What is it?")

    assert len(found.hits) == 5
    assert all(hit.bm25_score == 0 and hit.bm25_rank is None for hit in found.hits)


@pytest.mark.parametrize(
    ("filters", "holds"),
    [
        ({"source": "textbook.md"}, lambda hit: hit.document == "textbook.md"),
        ({"chapter": 2}, lambda hit: hit.chapter == 2),
        ({"section": "2.2"}, lambda hit: hit.section_number == "2.2"),
        ({"section": "2.2 Measuring the mass balance"}, lambda hit: hit.section == "2.2 Measuring the mass balance"),
        ({"module": "EARTH-110"}, lambda hit: hit.metadata.module == "EARTH-110"),
        ({"page": 8}, lambda hit: hit.page <= 8 <= hit.last_page),
        (
            {"source": "safety_manual.pdf", "chapter": 4},
            lambda hit: (hit.document, hit.chapter) == ("safety_manual.pdf", 4),
        ),
    ],
)
def test_every_filter_lets_only_its_own_chunks_through(library, filters, holds):
    found = find(library, "What is measured, and how?", filters=filters, top_k=20)

    assert found.hits
    assert all(holds(hit) for hit in everything(found))
    assert found.searched < found.indexed
    assert len(everything(found)) == min(found.searched - found.folded, 30)


def test_filters_that_match_nothing_find_nothing(library):
    found = find(library, GLOVES, filters={"source": "nobody.pdf"})

    assert (found.hits, found.searched) == ((), 0)
    assert found.indexed == library.wiring.catalogue.chunk_count()


def test_an_unknown_chapter_is_refused_with_the_chapters_there_are(library):
    with pytest.raises(InvalidQuery, match=r"chapter = 77 is not in the index; chapters there: 1, 2, 3") as caught:
        find(library, GLOVES, filters={"chapter": 77})
    assert caught.value.details["chapters"] == [1, 2, 3, 4, 5, 6, 7]

    with pytest.raises(InvalidQuery, match="chapters there"):
        find(library, GLOVES, filters={"chapter": 77}, mode="chapter-aware")


def test_a_chapter_of_another_document_is_no_error_but_finds_nothing(library):
    assert find(library, GLOVES, filters={"chapter": 7, "source": "travel_policy.docx"}).hits == ()


def test_chapter_aware_ranks_the_chapter_higher_and_marks_it(library):
    plain = everything(find(library, GLOVES))
    aware = everything(find(library, GLOVES, mode="chapter-aware", filters={"chapter": 3}))

    assert sum(hit.chapter == 3 for hit in aware) > sum(hit.chapter == 3 for hit in plain)
    assert all(hit.preferred == (hit.chapter == 3) for hit in aware)


def test_the_bonus_of_the_chapter_is_what_the_operator_sets(library):
    plain = {hit.chunk_id: hit for hit in everything(find(library, GLOVES))}
    rules = RetrievalRules(chapter_bonus=0.25)
    aware = everything(find(library, GLOVES, mode="chapter-aware", filters={"chapter": 4}, rules=rules))

    inside = [hit for hit in aware if hit.preferred and hit.chunk_id in plain]
    assert inside
    for hit in inside:
        assert hit.fused_score == pytest.approx(plain[hit.chunk_id].fused_score + 0.25, abs=1e-6)


def test_chapter_aware_keeps_the_other_filters_as_walls(library):
    found = find(library, GLOVES, mode="chapter-aware", filters={"chapter": 4, "source": "textbook.md"})

    assert {hit.document for hit in everything(found)} == {"textbook.md"}


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


REPORTS = {
    "Halden": "Inventories of bicycles were 40 million crowns at the end of March, 3 million more than in December.",
    "Brevik": "At the end of the quarter we held inventories of 71 million crowns.",
}


def test_of_near_identical_reports_the_one_of_the_company_asked_for_comes_first(tmp_path):
    asked = "What were inventories of Brevik at the end of March, and how many more than in December?"
    with Candor.open(quiet_settings(tmp_path / "data")) as candor:
        for name, text in REPORTS.items():
            candor.ingest_bytes(f"{name}_report.md", f"# {name} quarterly report\n\n{text}\n".encode())
        named, unnamed = find(candor, asked).hits, find(candor, asked.replace(" of Brevik", "")).hits

    assert [hit.document for hit in named] == ["Brevik_report.md", "Halden_report.md"]
    assert [hit.document for hit in unnamed] == ["Halden_report.md", "Brevik_report.md"]


@pytest.mark.parametrize("threshold", [0.0, 0.45])
def test_what_only_the_search_of_a_named_document_finds_is_counted_as_a_candidate(tmp_path, threshold):
    with Candor.open(quiet_settings(tmp_path / "data")) as candor:
        for code, text in (("LN-2019-0004", REPORTS["Halden"]), ("LN-2021-0017", REPORTS["Brevik"])):
            parts = "".join(f"\n\n## Part {part}\n\n{text} This is part {part} of it." for part in range(80))
            candor.ingest_bytes(f"report {code}.md", f"# Report {code}\n\nThe wind was calm.{parts}\n".encode())
        few, asked = RetrievalRules(candidates=8), "Which inventories of bicycles in March has LN-2021-0017?"
        found = find(candor, asked, rules=few, similarity_threshold=threshold)

    cuts = found.cuts
    assert found.candidates > 2 * few.candidates
    assert found.candidates == len(everything(found)) + cuts.threshold + cuts.duplicate + cuts.rank + cuts.unread


def test_the_hits_of_a_selected_text_have_ranks_and_its_hash(library, samples):
    text = (samples / "textbook.md").read_text(encoding="utf-8")
    found = select(library, "At what density does firn become glacier ice?", text)
    best = found.hits[0]

    assert "830 kilograms" in best.content
    assert (best.dense_rank, best.bm25_rank, best.rank) == (1, 1, 1)
    assert len(best.document_hash) == 64
    assert len({hit.document_hash for hit in everything(found)}) == 1


def test_a_selected_text_of_one_word_is_one_passage(library):
    found = select(library, GLOVES, "Gloves")

    assert [hit.content for hit in found.hits] == ["Gloves"]


def test_no_filters_search_the_whole_index(library):
    found = find(library, GLOVES, filters=Filters(), query_id=uuid4())

    assert found.searched == found.indexed == library.wiring.store.count(SearchScope())


def test_a_threshold_leaves_all_that_is_similar_enough_however_few_words_it_shares(library):
    query = "metres per second"
    cosines = sorted((hit.cosine for hit in find(library, query, top_k=20).hits), reverse=True)
    found = find(library, query, top_k=20, similarity_threshold=cosines[4])

    assert len(found.hits) >= 5
    assert found.candidates == found.below_threshold + len(everything(found)) + found.folded
