"""What every vector store must do: the embedded engine, and a server by URL with key and TLS."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from qdrant_server import QdrantServer, self_signed
from store_samples import ALL, DIMENSION, NEW, OLD, id_of, indexed, terms, unit

from rag.adapters.edge_store import EdgeStore
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import IndexNotReady, InvalidQuery, StoreUnavailable
from rag.models import BlockSpan, DocumentMetadata, Filters, SectionStart
from rag.protocols import Scored, SearchScope, SparseVector

Store = EdgeStore | QdrantStore
KINDS = ("edge", "server")
KEY = "k3y-of-the-tests"


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[Store]:
    """A new, empty store of a kind."""
    if kind == "edge":
        one = EdgeStore(folder, dimension=DIMENSION)
        yield one
        one.close()
        return
    certificate = self_signed(folder)
    with QdrantServer(api_key=KEY, certificate=certificate) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(certificate))
        remote = QdrantStore.connect(server.url, KEY, timeout_s=20, dimension=DIMENSION)
        yield remote
        remote.close()


@pytest.fixture(scope="module", params=KINDS)
def kept_store(request, tmp_path_factory):
    with opened(request.param, tmp_path_factory.mktemp("index")) as one:
        yield one


@pytest.fixture
def store(kept_store):
    """An empty store. It is not a fresh one: what earlier tests deleted must leave no trace."""
    for document in kept_store.facets("document", ALL):
        kept_store.delete(document)
    return kept_store


def ids(found: list[Scored]) -> list[str]:
    return [one.chunk_id for one in found]


def where(**filters: object) -> SearchScope:
    return SearchScope(Filters(**filters))  # type: ignore[arg-type]


def names_in(store: Store, scope: SearchScope) -> set[str]:
    """The chunks of a scope, by three ways that must agree: scroll, count and dense search."""
    scrolled = {chunk.content.removeprefix("Text of ").rstrip(".") for chunk in store.scroll(scope)}
    searched = store.search_dense(unit(1, 1, 1, 1), limit=1000, scope=scope)
    assert len(scrolled) == store.count(scope) == len(searched)
    assert {id_of(name) for name in scrolled} == set(ids(searched))
    return scrolled


def test_a_chunk_comes_back_with_every_field(store):
    whole = indexed(
        "a",
        np.stack([unit(1, 2, 3, 4), unit(-4, 3, 2, 1)]),
        terms(t1=1.0),
        content="Erste Zeile.\nZweite — ‘Zeile’ 漢字 🧪.", context="Handbuch › Säuren",
        chunk_index=7, start=100, end=131, page=3, last_page=4, chapter=2, chapter_title="Säuren",
        section="2.2 Working with hoods", section_number="2.2", section_path=("Säuren", "2.2 Working with hoods"),
        pieces=22, sentences=((0, 12), (13, 31)), windows=((0, 12), (13, 31)), columns=(("Säure", "Haube"),),
        blocks=(BlockSpan(kind="row", start=13, end=31, number=1, count=4, table=0),),
    )  # fmt: skip
    metadata = DocumentMetadata(title="T", authors=("Ä", "B"), year=2020, url="https://x.org", identifiers=("Q1",))
    whole = replace(whole, chunk=whole.chunk.model_copy(update={"metadata": metadata}))
    store.upsert([whole])
    (back,) = store.fetch([id_of("a")])
    assert [back.chunk] == list(store.scroll(ALL)) == [whole.chunk]
    assert (back.vectors.shape, back.vectors.dtype) == ((2, DIMENSION), np.float32)
    np.testing.assert_allclose(back.vectors, whole.vectors, atol=1e-6)


def test_the_similarity_of_a_chunk_is_the_raw_cosine_of_its_best_window_and_the_best_come_first(store):
    one_near = np.stack([unit(0, 1, 0, 0), unit(4, 3, 0, 0), unit(-1, 0, 0, 0)])
    all_fair = np.stack([unit(3, 4, 0, 0), unit(3, 0, 4, 0), unit(3, 0, 0, 4)])
    store.upsert([indexed("near", one_near, terms(t1=1.0)), indexed("fair", all_fair)])
    store.upsert([indexed("far", unit(0, 1, 0, 0)), indexed("opposite", unit(-1, 0, 0, 0))])
    expected = {id_of("near"): 0.8, id_of("fair"): 0.6, id_of("far"): 0.0, id_of("opposite"): -1.0}
    question = unit(1, 0, 0, 0)
    both, _ = store.search_hybrid(question, terms(t1=1.0), limit=9, scope=ALL)
    for hits in (store.search_dense(question, limit=9, scope=ALL), both):
        assert ids(hits) == list(expected)
        assert dict(hits) == pytest.approx(expected, abs=1e-5)
    assert ids(store.search_dense(question, limit=2, scope=ALL)) == list(expected)[:2]


def test_upsert_replaces_a_chunk_wholly_and_fetch_keeps_the_order_asked_for_and_leaves_out_unknown_ids(store):
    few, many = (np.stack([unit(row, 1, number, 0) for row in range(number)]) for number in (1, 3))
    store.upsert([indexed("a", few, terms(t1=1.0), chapter=1, module="m"), indexed("other", few, chapter=2)])
    store.upsert([indexed("a", many, chapter=2)])
    wanted = [id_of("other"), id_of("nobody"), "not-a-uuid", id_of("a")]
    found = store.fetch(wanted)
    assert [one.chunk.chunk_id for one in found] == [wanted[0], wanted[-1]]
    for one, vectors in zip(found, (few, many), strict=True):
        np.testing.assert_allclose(one.vectors, vectors, atol=1e-6)
    assert (
        store.fetch([]) == store.fetch(["not-a-uuid"]) == store.search_sparse(terms(t1=1.0), limit=5, scope=ALL) == []
    )
    assert (store.facets("chapter", ALL), store.facets("module", ALL)) == ({"2": 2}, {})


@pytest.mark.parametrize(
    ("how", "left"),
    [
        ({}, {"b"}),
        ({"version": OLD}, {"a-new", "b"}),
        ({"keep": NEW}, {"a-new", "b"}),
        ({"version": NEW, "keep": NEW}, {"a-old", "a-new", "b"}),
        ({"version": "f" * 64}, {"a-old", "a-new", "b"}),
    ],
)
def test_delete_removes_a_document_a_version_or_all_but_one(store, how, left):
    store.upsert([indexed(f"a-{name}", document="a.pdf", version=one) for name, one in (("old", OLD), ("new", NEW))])
    store.upsert([indexed("b", document="b.pdf", version=OLD)])
    store.delete("a.pdf", **how)
    assert names_in(store, ALL) == left


LIBRARY = [
    indexed("hoods", document="manual.pdf", module="Lab", page=3, last_page=5, chapter=2,
            section="2.2 Working with hoods", section_number="2.2"),
    indexed("sash", document="manual.pdf", module="Lab", page=5, last_page=5, chapter=2,
            section="2.2.1 The sash", section_number="2.2.1"),
    indexed("storage", document="manual.pdf", module="Lab", page=6, chapter=2,
            section="2.20 Storage", section_number="2.20"),
    indexed("säure", document="Säuren – Übersicht.md", module="Chemie: Säuren", chapter=11,
            section="Überblick", section_number=None),
    indexed("plain", document="notes.txt"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {"hoods", "sash", "storage", "säure", "plain"}),
        ({"source": "Säuren – Übersicht.md"}, {"säure"}),
        ({"source": "manual"}, set()),
        ({"sources": ("manual.pdf", "notes.txt"), "chapter": 2}, {"hoods", "sash", "storage"}),
        ({"sources": ("manual.pdf",), "source": "notes.txt"}, set()),
        ({"chapter": 11}, {"säure"}),
        ({"module": "Chemie: Säuren"}, {"säure"}),
        ({"page": 2}, set()),
        ({"page": 4}, {"hoods"}),
        ({"page": 5}, {"hoods", "sash"}),
        ({"section": "2.2"}, {"hoods", "sash"}),
        ({"section": "2.2.1 The sash"}, {"sash"}),
        ({"section": "2.20"}, {"storage"}),
        ({"section": "working with  Hoods"}, {"hoods"}),
        ({"section": "überblick"}, {"säure"}),
        ({"section": "2.2 Working"}, set()),
        ({"source": "manual.pdf", "section": "2.2", "page": 5, "chapter": 2, "module": "Lab"}, {"hoods", "sash"}),
        ({"source": "notes.txt", "chapter": 2}, set()),
    ],
)
def test_filters_leave_exactly_the_matching_chunks(store, filters, expected):
    store.upsert(LIBRARY)
    assert names_in(store, where(**filters)) == expected


def test_hidden_versions_are_seen_by_no_reader_and_do_not_count_in_the_idf(store):
    store.upsert([indexed("old", None, terms(t1=1.0), chapter=1), indexed("new", None, terms(t1=1.0), version=NEW)])
    store.upsert([indexed("copy", unit(0, 1, 0, 0), terms(t2=1.0), document="copy.pdf", chapter=2)])
    scope = SearchScope(hidden_versions=(("manual.pdf", OLD), ("manual.pdf", "9" * 64)))
    assert names_in(store, scope) == {"new", "copy"}
    assert store.facets("chapter", scope) == {"2": 1}
    near, worded = store.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=scope)
    in_one_of_two = pytest.approx(math.log(2), abs=1e-4)  # ln((2 - 1 + 0.5) / (1 + 0.5) + 1)
    assert (ids(near), worded) == ([id_of("new"), id_of("copy")], [(id_of("new"), in_one_of_two)])
    assert store.search_sparse(terms(t1=1.0), limit=5, scope=scope) == worded
    assert store.score_sparse(terms(t1=1.0), [id_of("new")], scope=scope) == {id_of("new"): in_one_of_two}
    both = SearchScope(Filters(source="manual.pdf"), hidden_versions=(("manual.pdf", OLD),))
    assert names_in(store, both) == {"new"}
    assert names_in(store, SearchScope(hidden_versions=(("copy.pdf", OLD), ("manual.pdf", NEW)))) == {"old"}


@pytest.mark.parametrize(
    "scope", [SearchScope(without=("a.md", "none.md")), where(source="b.md"), where(sources=("b.md", "c.md"))]
)
def test_documents_left_out_or_filtered_away_are_not_found_and_count_in_the_idf_all_the_same(store, scope):
    store.upsert([indexed(name, unit(1, 0, 0, 0), terms(t1=1.0), document=f"{name}.md") for name in "ab"])
    store.upsert([indexed("c", unit(0, 1, 0, 0), terms(t2=1.0), document="c.md", version=NEW)])
    assert {"b"} <= names_in(store, scope) <= {"b", "c"}
    assert store.facets("document", scope)["b.md"] == 1
    near, worded = store.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=scope)
    in_two_of_three = pytest.approx(math.log(1.6), abs=1e-4)  # ln((3 - 2 + 0.5) / (2 + 0.5) + 1)
    assert (ids(near)[0], worded) == (id_of("b"), [(id_of("b"), in_two_of_three)])
    assert store.score_sparse(terms(t1=1.0), [id_of("b")], scope=scope) == {id_of("b"): in_two_of_three}
    hidden = replace(scope, hidden_versions=(("c.md", NEW),))
    assert names_in(store, hidden) == {"b"}
    store.delete("a.md")  # now in one of two
    assert store.search_sparse(terms(t1=1.0), limit=5, scope=scope) == [
        (id_of("b"), pytest.approx(math.log(2), abs=1e-4))
    ]


def test_a_search_for_no_words_or_no_results_or_in_an_empty_store_finds_nothing(store):
    store.upsert([])
    store.delete("nobody.pdf")
    assert store.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=ALL) == ([], [])
    assert names_in(store, ALL) == set()
    assert store.facets("document", ALL) == {}
    store.upsert([indexed("a", None, terms(t1=1.0))])
    assert store.search_sparse(SparseVector((), ()), limit=5, scope=ALL) == []
    assert store.search_sparse(terms(t1=1.0), limit=0, scope=ALL) == []
    assert store.search_dense(unit(1, 0, 0, 0), limit=0, scope=ALL) == []
    assert store.score_sparse(SparseVector((), ()), [id_of("a")]) == store.score_sparse(terms(t1=1.0), []) == {}
    near, worded = store.search_hybrid(unit(1, 0, 0, 0), SparseVector((), ()), limit=5, scope=ALL)
    assert (ids(near), worded) == ([id_of("a")], [])


def test_a_chunk_of_several_short_sections_is_found_and_counted_by_each(store):
    starts = (
        SectionStart(offset=0, chapter=1, section="1.2 Canteen", section_number="1.2"),
        SectionStart(offset=9, chapter=1, section="1.3 Gate", section_number="1.3"),
    )
    shared = indexed("both", chapter=1, section="1.3 Gate", section_number="1.3", section_starts=starts)
    store.upsert([shared, indexed("one", chapter=1, section="1.30 Yard", section_number="1.30")])
    found = {name: names_in(store, where(section=name)) for name in ("1.2", "canteen", "1.3", "1.3 Gate", "1", "1.4")}
    assert found == {
        "1.2": {"both"}, "canteen": {"both"}, "1.3": {"both"}, "1.3 Gate": {"both"}, "1": {"both", "one"}, "1.4": set(),
    }  # fmt: skip
    assert store.facets("section", ALL) == {"1.2 Canteen": 1, "1.3 Gate": 1, "1.30 Yard": 1}


def test_sparse_search_is_bm25_with_qdrants_idf_and_score_sparse_gives_the_same(store):
    store.upsert([indexed("both", None, terms(t1=1.5, t2=0.5)), indexed("common", None, terms(t1=1.0))])
    store.upsert([indexed("neither", None, terms(t3=1.0)), indexed("wordless")])
    question = terms(t1=1.0, t2=2.0, t99=1.0)
    found = store.search_sparse(question, limit=10, scope=ALL)
    # Only chunks with words count: N = 3. Term 1 stands in 2: ln(1.5 / 2.5 + 1); term 2 in 1: ln(2.5 / 1.5 + 1).
    common, rare = math.log(1.6), math.log(8 / 3)
    assert ids(found) == [id_of("both"), id_of("common")]
    assert [one.score for one in found] == pytest.approx([1.5 * common + 2 * 0.5 * rare, common], abs=1e-4)
    wanted = [id_of("both"), id_of("neither"), id_of("common"), id_of("nobody"), "not-a-uuid"]
    assert store.score_sparse(question, wanted) == pytest.approx(dict(found), abs=1e-5)
    assert store.score_sparse(question, [id_of("neither")]) == {}


def test_equal_scores_are_ordered_by_chunk_id_even_where_the_limit_cuts_the_tie_and_hybrid_finds_the_same(store):
    twins = sorted(id_of(f"twin{i}") for i in range(40))
    store.upsert([indexed(f"twin{i}", unit(1, 2, 0, 0), terms(t1=1.0)) for i in range(40)])
    store.upsert([indexed("best", unit(1, 1, 0, 0), terms(t1=2.0))])
    dense = store.search_dense(unit(1, 1, 0, 0), limit=5, scope=ALL)
    sparse = store.search_sparse(terms(t1=1.0), limit=5, scope=ALL)
    assert ids(dense) == ids(sparse) == [id_of("best"), *twins[:4]]
    assert store.search_hybrid(unit(1, 1, 0, 0), terms(t1=1.0), limit=5, scope=ALL) == (dense, sparse)


def test_facets_count_the_chunks_of_each_value_numbers_in_order_more_than_a_page_of_them_and_honour_the_scope(store):
    store.upsert(LIBRARY)
    assert store.facets("document", ALL) == {"Säuren – Übersicht.md": 1, "manual.pdf": 3, "notes.txt": 1}
    assert store.facets("section", where(sources=("manual.pdf",))) == {
        "2.2 Working with hoods": 1, "2.2.1 The sash": 1, "2.20 Storage": 1,
    }  # fmt: skip
    assert store.facets("page", ALL) == {"3": 1, "4": 1, "5": 2, "6": 1}
    with pytest.raises(InvalidQuery, match=r"'colour'.*document.*chapter"):
        store.facets("colour", ALL)
    for document in store.facets("document", ALL):
        store.delete(document)
    store.upsert([indexed(f"c{i}", page=i, document=f"{i % 2}.md") for i in range(300, 0, -1)])
    assert list(store.facets("page", ALL)) == [str(page) for page in range(1, 301)]
    assert list(store.facets("page", where(source="0.md")))[:5] == ["2", "4", "6", "8", "10"]
    assert sorted(chunk.page or 0 for chunk in store.scroll(ALL, batch=7)) == list(range(1, 301))


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_keeps_its_id_until_it_is_cleared_for_vectors_of_another_length_and_says_when_closed(kind, tmp_path):
    with opened(kind, tmp_path) as store:
        assert (store.dimension, store.index_id()) == (DIMENSION, None)
        for name in ("2c3d", "0a1b"):
            store.set_index_id(name)
            assert store.index_id() == name
        store.upsert([indexed("a"), indexed("b", document="b.pdf")])
        store.delete("b.pdf")
        store.optimize()
        assert (store.index_id(), store.facets("document", ALL)) == ("0a1b", {"manual.pdf": 1})
        longer = np.eye(1, DIMENSION + 3, dtype=np.float32)
        store.clear(DIMENSION + 3)
        assert (store.index_id(), store.dimension, store.count(ALL)) == (None, DIMENSION + 3, 0)
        with pytest.raises(IndexNotReady, match=rf"{DIMENSION + 3} dimensions"):
            store.upsert([indexed("a")])
        store.upsert([replace(indexed("a"), vectors=longer)])
        assert len(store.search_dense(longer[0], limit=5, scope=ALL)) == 1
        alive = store.check()
        assert (alive.state, alive.latency_ms is not None) == ("connected", True)
        store.close()
        store.close()
        assert store.check().state == "disconnected"
        with pytest.raises(StoreUnavailable, match="closed"):
            store.count(ALL)


def test_a_vector_of_another_dimension_or_none_is_refused_with_both_numbers_and_nothing_written(store):
    store.upsert([indexed("a")])
    wrong = np.ones(7, dtype=np.float32)
    with pytest.raises(IndexNotReady, match="the embedding model gives 0"):
        store.upsert([indexed("b"), indexed("c", np.zeros((0, DIMENSION), dtype=np.float32))])
    for attempt in (
        lambda: store.search_dense(wrong, limit=5, scope=ALL),
        lambda: store.search_hybrid(wrong, terms(t1=1.0), limit=5, scope=ALL),
        lambda: store.upsert([indexed("b"), indexed("c", wrong)]),
    ):
        with pytest.raises(IndexNotReady, match=r"4 dimensions.*gives 7") as caught:
            attempt()
        assert caught.value.details == {"indexed_dimension": 4, "given_dimension": 7}
    assert store.count(ALL) == 1


def test_threads_may_read_and_write_at_once(store):
    store.upsert([indexed(f"seed{i}", unit(1, i, 0, 0), terms(t1=1.0), document="seed.md") for i in range(50)])

    def write(worker: int) -> None:
        for turn in range(8):
            name = f"w{worker}.md"
            store.upsert([indexed(f"{name}{turn}{i}", document=name, version=str(turn)) for i in range(5)])
            store.delete(name, keep=str(turn))

    def read(_: int) -> None:
        for _turn in range(25):
            near, worded = store.search_hybrid(unit(1, 2, 3, 4), terms(t1=1.0), limit=20, scope=where(source="seed.md"))
            assert len(near) == len(worded) == 20
            assert len(store.fetch(ids(near))) == 20
            assert sum(1 for chunk in store.scroll(ALL, batch=40) if chunk.document == "seed.md") == 50
            assert store.facets("document", ALL)["seed.md"] == 50

    with ThreadPoolExecutor(4) as pool:
        for job in [pool.submit(write, 0), pool.submit(read, 0), pool.submit(write, 1), pool.submit(read, 1)]:
            job.result()
    assert store.facets("document", ALL) == {"seed.md": 50, "w0.md": 5, "w1.md": 5}
