"""What every vector store must do: the embedded engine, the client in memory, and a server by URL with key and TLS."""

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
KINDS = ("edge", "memory", "server")
KEY = "k3y-of-the-tests"


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[Store]:
    """A new, empty store of a kind."""
    if kind != "server":
        one = EdgeStore(folder, dimension=DIMENSION) if kind == "edge" else QdrantStore.in_memory(DIMENSION)
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
def kept_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opened(request.param, tmp_path_factory.mktemp("index")) as one:
        yield one


@pytest.fixture
def store(kept_store: Store) -> Store:
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


# --- writing -----------------------------------------------------------------------------------------------------


def test_a_chunk_comes_back_with_every_field(store: Store) -> None:
    whole = indexed(
        "a",
        np.stack([unit(1, 2, 3, 4), unit(-4, 3, 2, 1)]),
        terms(t1=1.0),
        content="Erste Zeile.\nZweite — ‘Zeile’ 漢字 🧪.",
        context="Handbuch › Säuren",
        chunk_index=7,
        start=100,
        end=131,
        page=3,
        last_page=4,
        chapter=2,
        chapter_title="Säuren",
        section="2.2 Working with hoods",
        section_number="2.2",
        section_path=("Säuren", "2.2 Working with hoods"),
        pieces=22,
        sentences=((0, 12), (13, 31)),
        windows=((0, 12), (13, 31)),
        blocks=(
            BlockSpan(kind="heads", start=0, end=12),
            BlockSpan(kind="row", start=13, end=31, number=1, count=4, table=0),
        ),
        columns=(("Säure", "Haube"),),
    )
    metadata = DocumentMetadata(title="T", authors=("Ä", "B"), year=2020, url="https://x.org", identifiers=("Q1",))
    whole = replace(whole, chunk=whole.chunk.model_copy(update={"metadata": metadata}))
    store.upsert([whole])
    (back,) = store.fetch([id_of("a")])
    assert back.chunk == whole.chunk
    assert list(store.scroll(ALL)) == [whole.chunk]
    assert back.vectors.shape == (2, DIMENSION)
    assert back.vectors.dtype == np.float32
    np.testing.assert_allclose(back.vectors, whole.vectors, atol=1e-6)


def test_the_similarity_of_a_chunk_is_the_cosine_of_its_best_window(store: Store) -> None:
    question = unit(1, 0, 0, 0)
    one_near = np.stack([unit(0, 1, 0, 0), unit(4, 3, 0, 0), unit(-1, 0, 0, 0)])
    all_fair = np.stack([unit(3, 4, 0, 0), unit(3, 0, 4, 0), unit(3, 0, 0, 4)])
    far = indexed("far", unit(0, 1, 0, 0))
    store.upsert([indexed("near", one_near, terms(t1=1.0)), indexed("fair", all_fair), far])
    expected = {id_of("near"): 0.8, id_of("fair"): 0.6, id_of("far"): 0.0}

    found = store.search_dense(question, limit=3, scope=ALL)
    both, _ = store.search_hybrid(question, terms(t1=1.0), limit=3, scope=ALL)

    assert ids(found) == ids(both) == list(expected)
    for hits in (found, both):
        assert dict(hits) == pytest.approx(expected, abs=1e-5)


def test_a_chunk_without_vectors_is_refused_and_nothing_is_written(store: Store) -> None:
    with pytest.raises(IndexNotReady, match="the embedding model gives 0"):
        store.upsert([indexed("a"), indexed("b", np.zeros((0, DIMENSION), dtype=np.float32))])
    assert store.count(ALL) == 0


def test_fetch_keeps_the_order_asked_for_and_leaves_out_unknown_ids(store: Store) -> None:
    store.upsert([indexed("a"), indexed("b"), indexed("c")])
    found = store.fetch([id_of("c"), id_of("nobody"), "not-a-uuid", id_of("a")])
    assert [one.chunk.chunk_id for one in found] == [id_of("c"), id_of("a")]
    assert store.fetch([]) == store.fetch(["not-a-uuid"]) == []


def test_upsert_replaces_a_chunk_of_the_same_id_wholly(store: Store) -> None:
    few, many = (np.stack([unit(row, 1, number, 0) for row in range(number)]) for number in (1, 3))
    store.upsert([indexed("a", few, terms(t1=1.0), chapter=1, module="m"), indexed("other", few, chapter=2)])
    store.upsert([indexed("a", many, chapter=2)])
    assert store.count(ALL) == 2
    for found, vectors in zip(store.fetch([id_of("a"), id_of("other")]), (many, few), strict=True):
        np.testing.assert_allclose(found.vectors, vectors, atol=1e-6)
    assert store.search_sparse(terms(t1=1.0), limit=5, scope=ALL) == []
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
def test_delete_removes_a_document_a_version_or_all_but_one(store: Store, how: dict[str, str], left: set[str]) -> None:
    store.upsert(
        [
            indexed("a-old", document="a.pdf", version=OLD),
            indexed("a-new", document="a.pdf", version=NEW),
            indexed("b", document="b.pdf", version=OLD),
        ]
    )
    store.delete("a.pdf", **how)
    assert names_in(store, ALL) == left


# --- filters -----------------------------------------------------------------------------------------------------

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
        ({"sources": ("manual.pdf", "notes.txt", "none.md")}, {"hoods", "sash", "storage", "plain"}),
        ({"sources": ("manual.pdf", "notes.txt"), "chapter": 2}, {"hoods", "sash", "storage"}),
        ({"sources": ("manual.pdf",), "source": "notes.txt"}, set()),
        ({"chapter": 11}, {"säure"}),
        ({"chapter": 1}, set()),
        ({"module": "Chemie: Säuren"}, {"säure"}),
        ({"page": 2}, set()),
        ({"page": 4}, {"hoods"}),
        ({"page": 5}, {"hoods", "sash"}),
        ({"page": 6}, {"storage"}),
        ({"section": "2.2"}, {"hoods", "sash"}),
        ({"section": "2.2."}, {"hoods", "sash"}),
        ({"section": "2.2.1 The sash"}, {"sash"}),
        ({"section": "2.20"}, {"storage"}),
        ({"section": "working with  Hoods"}, {"hoods"}),
        ({"section": "überblick"}, {"säure"}),
        ({"section": "2.2 Working"}, set()),
        ({"source": "manual.pdf", "section": "2.2", "page": 5, "chapter": 2, "module": "Lab"}, {"hoods", "sash"}),
        ({"source": "notes.txt", "chapter": 2}, set()),
    ],
)
def test_filters_leave_exactly_the_matching_chunks(
    store: Store, filters: dict[str, object], expected: set[str]
) -> None:
    store.upsert(LIBRARY)
    assert names_in(store, where(**filters)) == expected


def test_hidden_versions_are_seen_by_no_reader_and_do_not_count_in_the_idf(store: Store) -> None:
    store.upsert(
        [
            indexed("old", unit(1, 0, 0, 0), terms(t1=1.0), version=OLD, chapter=1),
            indexed("new", unit(1, 0, 0, 0), terms(t1=1.0), version=NEW, chapter=2),
            indexed("copy", unit(0, 1, 0, 0), terms(t2=1.0), document="copy.pdf", version=OLD, chapter=2),
        ]
    )
    scope = SearchScope(hidden_versions=(("manual.pdf", OLD), ("manual.pdf", "9" * 64)))
    assert names_in(store, scope) == {"new", "copy"}
    assert store.facets("chapter", scope) == {"2": 2}
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
def test_documents_left_out_or_filtered_away_are_not_found_and_count_in_the_idf_all_the_same(
    store: Store, scope: SearchScope
) -> None:
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


def test_a_search_for_no_words_or_no_results_or_in_an_empty_store_finds_nothing(store: Store) -> None:
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


def test_a_chunk_of_several_short_sections_is_found_and_counted_by_each(store: Store) -> None:
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


# --- searching ---------------------------------------------------------------------------------------------------


def test_dense_search_gives_raw_cosines_best_first(store: Store) -> None:
    store.upsert(
        [
            indexed("same", unit(3, 4, 0, 0)),
            indexed("near", unit(4, 3, 0, 0)),
            indexed("square", unit(0, 0, 1, 0)),
            indexed("opposite", unit(-3, -4, 0, 0)),
        ]
    )
    found = store.search_dense(unit(3, 4, 0, 0), limit=10, scope=ALL)
    # (3, 4) . (4, 3) / 25 = 24 / 25
    assert ids(found) == [id_of("same"), id_of("near"), id_of("square"), id_of("opposite")]
    assert [one.score for one in found] == pytest.approx([1.0, 0.96, 0.0, -1.0], abs=1e-4)
    assert ids(store.search_dense(unit(3, 4, 0, 0), limit=2, scope=ALL)) == [id_of("same"), id_of("near")]


def test_sparse_search_is_bm25_with_qdrants_idf(store: Store) -> None:
    store.upsert(
        [
            indexed("both", None, terms(t1=1.5, t2=0.5)),
            indexed("common", None, terms(t1=1.0)),
            indexed("neither", None, terms(t3=1.0)),
            indexed("wordless"),
        ]
    )
    found = store.search_sparse(terms(t1=1.0, t2=2.0, t99=1.0), limit=10, scope=ALL)
    # Only chunks with words count: N = 3. Term 1 stands in 2: ln(1.5 / 2.5 + 1); term 2 in 1: ln(2.5 / 1.5 + 1).
    common, rare = math.log(1.6), math.log(8 / 3)
    assert ids(found) == [id_of("both"), id_of("common")]
    assert [one.score for one in found] == pytest.approx([1.5 * common + 2 * 0.5 * rare, common], abs=1e-4)


def test_score_sparse_equals_the_score_of_the_search(store: Store) -> None:
    store.upsert([indexed(f"c{i}", None, terms(t1=1.0 + i, **{f"t{10 + i % 3}": 2.0})) for i in range(20)])
    question = terms(t1=1.0, t10=1.0)
    searched = {one.chunk_id: one.score for one in store.search_sparse(question, limit=50, scope=ALL)}
    wanted = [id_of("c0"), id_of("c7"), id_of("nobody"), "not-a-uuid"]
    assert store.score_sparse(question, wanted) == pytest.approx(
        {chunk_id: searched[chunk_id] for chunk_id in wanted[:2]}, abs=1e-5
    )
    assert store.score_sparse(terms(t10=1.0), [id_of("c1")]) == {}


def test_equal_scores_are_ordered_by_chunk_id_even_where_the_limit_cuts_the_tie_and_hybrid_finds_the_same(
    store: Store,
) -> None:
    twins = sorted(id_of(f"twin{i}") for i in range(40))
    store.upsert([indexed(f"twin{i}", unit(1, 2, 0, 0), terms(t1=1.0)) for i in range(40)])
    store.upsert([indexed("best", unit(1, 1, 0, 0), terms(t1=2.0))])
    dense = store.search_dense(unit(1, 1, 0, 0), limit=5, scope=ALL)
    sparse = store.search_sparse(terms(t1=1.0), limit=5, scope=ALL)
    assert ids(dense) == ids(sparse) == [id_of("best"), *twins[:4]]
    assert store.search_hybrid(unit(1, 1, 0, 0), terms(t1=1.0), limit=5, scope=ALL) == (dense, sparse)


# --- counting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("document", {"Säuren – Übersicht.md": 1, "manual.pdf": 3, "notes.txt": 1}),
        ("section", {"2.2 Working with hoods": 1, "2.2.1 The sash": 1, "2.20 Storage": 1, "Überblick": 1}),
        ("page", {"3": 1, "4": 1, "5": 2, "6": 1}),
    ],
)
def test_facets_count_the_chunks_of_each_value(store: Store, field: str, expected: dict[str, int]) -> None:
    store.upsert(LIBRARY)
    assert store.facets(field, ALL) == expected


def test_facets_list_numbers_in_order_and_more_than_a_page_of_them_and_honour_the_scope(store: Store) -> None:
    store.upsert([indexed(f"c{i}", page=i, document=f"{i % 2}.md") for i in range(300, 0, -1)])
    assert store.count(ALL) == 300
    assert list(store.facets("page", ALL)) == [str(page) for page in range(1, 301)]
    assert list(store.facets("page", where(source="0.md")))[:5] == ["2", "4", "6", "8", "10"]
    assert sorted(chunk.page or 0 for chunk in store.scroll(ALL, batch=7)) == list(range(1, 301))
    with pytest.raises(InvalidQuery, match=r"'colour'.*document.*chapter"):
        store.facets("colour", ALL)


# --- dimensions, status, threads ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_clearing_leaves_an_empty_store_for_vectors_of_another_length(kind: str, tmp_path: Path) -> None:
    longer = np.eye(1, DIMENSION + 3, dtype=np.float32)
    with opened(kind, tmp_path) as store:
        store.upsert([indexed("a")])
        assert store.dimension == DIMENSION
        store.clear(DIMENSION + 3)
        assert (store.dimension, store.count(ALL)) == (DIMENSION + 3, 0)
        with pytest.raises(IndexNotReady, match=rf"{DIMENSION + 3} dimensions"):
            store.upsert([indexed("a")])
        store.upsert([replace(indexed("a"), vectors=longer)])
        assert len(store.search_dense(longer[0], limit=5, scope=ALL)) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_id_of_an_index_stays_with_its_chunks_until_it_is_cleared(kind: str, tmp_path: Path) -> None:
    with opened(kind, tmp_path) as store:
        assert store.index_id() is None
        store.set_index_id("0a1b")
        store.upsert([indexed("a"), indexed("b", document="b.pdf")])
        store.delete("b.pdf")
        store.optimize()
        assert (store.index_id(), store.count(ALL)) == ("0a1b", 1)
        assert store.facets("document", ALL) == {"manual.pdf": 1}
        store.set_index_id("2c3d")
        assert store.index_id() == "2c3d"
        store.clear(DIMENSION)
        assert (store.index_id(), store.count(ALL)) == (None, 0)


def test_a_vector_of_another_dimension_is_refused_with_both_numbers(store: Store) -> None:
    store.upsert([indexed("a")])
    wrong = np.ones(7, dtype=np.float32)
    for attempt in (
        lambda: store.search_dense(wrong, limit=5, scope=ALL),
        lambda: store.search_hybrid(wrong, terms(t1=1.0), limit=5, scope=ALL),
        lambda: store.upsert([indexed("b"), indexed("c", wrong)]),
    ):
        with pytest.raises(IndexNotReady, match=r"4 dimensions.*gives 7") as caught:
            attempt()
        assert caught.value.details == {"indexed_dimension": 4, "given_dimension": 7}
    assert store.count(ALL) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_check_says_connected_and_after_closing_disconnected(kind: str, tmp_path: Path) -> None:
    with opened(kind, tmp_path) as one:
        alive = one.check()
        assert alive.state == "connected"
        assert alive.latency_ms is not None
        one.close()
        one.close()
        assert one.check().state == "disconnected"
        with pytest.raises(StoreUnavailable, match="closed"):
            one.count(ALL)


def test_threads_may_read_and_write_at_once(store: Store) -> None:
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
