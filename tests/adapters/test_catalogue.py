"""One suite over every database: what the catalogue remembers, hides, counts, and says when its database is broken."""

from pathlib import Path

import pytest
from catalogue_samples import NEW, OLD, ingest, record

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.sql import sqlite_url


def test_an_empty_catalogue_says_so(catalogue: SqlCatalogue) -> None:
    assert catalogue.documents() == []
    assert catalogue.get("manual.pdf") is None
    assert catalogue.chunk_count() == 0
    assert catalogue.document_frequencies([1, 2]) == {}
    assert catalogue.begin_removal("nothing.pdf") is None
    assert catalogue.unfinished() == []


def test_documents_come_back_as_they_were_and_by_name(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record("b.pdf"), {})
    ingest(catalogue, record("A.pdf", NEW), {})
    assert catalogue.documents() == [record("A.pdf", NEW), record("b.pdf")]
    assert catalogue.get("b.pdf") == record("b.pdf")


def test_the_new_version_is_hidden_before_commit_and_the_old_one_after_it(catalogue: SqlCatalogue) -> None:
    catalogue.begin("manual.pdf", OLD)
    assert catalogue.unfinished() == [("manual.pdf", OLD, None)]
    catalogue.commit(record(version=OLD), {})
    assert (catalogue.hidden_versions(), catalogue.unfinished()) == ((), [])
    catalogue.begin("manual.pdf", NEW)
    assert catalogue.hidden_versions() == (("manual.pdf", NEW),)
    assert catalogue.unfinished() == [("manual.pdf", NEW, OLD)]
    catalogue.commit(record(version=NEW), {})
    assert catalogue.hidden_versions() == (("manual.pdf", OLD),)
    assert catalogue.unfinished() == [("manual.pdf", None, NEW)]
    catalogue.finish("manual.pdf")
    assert catalogue.hidden_versions() == ()


def test_writing_the_same_version_again_hides_it_until_commit(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(version=OLD), {1: 3})
    catalogue.begin("manual.pdf", OLD)
    assert catalogue.unfinished() == [("manual.pdf", OLD, OLD)]
    catalogue.commit(record(version=OLD), {1: 2})
    assert catalogue.hidden_versions() == ()
    assert catalogue.document_frequencies([1]) == {1: 2}


def test_a_document_under_removal_is_gone_and_its_chunks_hidden(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(), {7: 3})
    catalogue.begin_removal("manual.pdf")
    assert catalogue.documents() == []
    assert catalogue.hidden_versions() == (("manual.pdf", OLD),)
    assert catalogue.unfinished() == [("manual.pdf", None, None)]
    assert catalogue.document_frequencies([7]) == {}
    assert catalogue.chunk_count() == 0


def test_a_copy_of_the_same_content_hides_only_itself(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record("manual.md"), {7: 3})
    catalogue.begin("manual copy.md", OLD)
    assert catalogue.hidden_versions() == (("manual copy.md", OLD),)
    catalogue.commit(record("manual copy.md"), {7: 3})
    catalogue.begin_removal("manual copy.md")
    assert catalogue.hidden_versions() == (("manual copy.md", OLD),)
    assert catalogue.document_frequencies([7]) == {7: 3}


def test_two_interrupted_versions_of_one_document_are_both_hidden(catalogue: SqlCatalogue) -> None:
    catalogue.begin("manual.pdf", OLD)
    catalogue.begin("manual.pdf", NEW)
    assert catalogue.unfinished() == [("manual.pdf", OLD, None), ("manual.pdf", NEW, None)]
    assert catalogue.hidden_versions() == (("manual.pdf", OLD), ("manual.pdf", NEW))


def test_document_frequencies_add_up_over_documents_and_go_with_them(catalogue: SqlCatalogue) -> None:
    top = 2**32 - 1
    ingest(catalogue, record("a.pdf"), {1: 3, 2: 1, top: 1})
    ingest(catalogue, record("b.pdf", NEW), {1: 4})
    assert catalogue.document_frequencies([1, 2, 3, top]) == {1: 7, 2: 1, top: 1}
    ingest(catalogue, record("a.pdf", "c" * 64), {2: 5})
    assert catalogue.document_frequencies([1, 2, top]) == {1: 4, 2: 5}
    catalogue.begin_removal("b.pdf")
    assert catalogue.document_frequencies([1, 2]) == {2: 5}


def test_a_document_of_many_terms_is_counted_whole(catalogue: SqlCatalogue) -> None:
    ingest(catalogue, record(), {term: term % 9 + 1 for term in range(5_000)})
    ingest(catalogue, record(version=NEW), dict.fromkeys(range(2500), 1))
    assert catalogue.document_frequencies(range(5_000)) == dict.fromkeys(range(2500), 1)


def test_chunk_count_and_fingerprint_follow_every_commit(catalogue: SqlCatalogue) -> None:
    empty = catalogue.fingerprint()
    ingest(catalogue, record("a.pdf", chunks=3), {})
    one = catalogue.fingerprint()
    ingest(catalogue, record("b.pdf", chunks=4), {})
    assert catalogue.chunk_count() == 7
    assert len({empty, one, catalogue.fingerprint()}) == 3
    catalogue.begin_removal("b.pdf")
    assert (catalogue.chunk_count(), catalogue.fingerprint()) == (3, one)


def test_versions_are_the_names_and_hashes_of_what_is_indexed(catalogue: SqlCatalogue) -> None:
    assert catalogue.versions() == []
    for name in ("b.md", "a.md"):
        ingest(catalogue, record(name, f"hash of {name}"), {})
    assert catalogue.versions() == [("a.md", "hash of a.md"), ("b.md", "hash of b.md")]


def test_the_fingerprint_does_not_depend_on_the_order_of_ingestion(tmp_path: Path) -> None:
    names = ["a.pdf", "b.pdf"]
    found = set()
    for order in (names, names[::-1]):
        opened = SqlCatalogue(sqlite_url(tmp_path / f"{order[0]}.db"))
        for name in order:
            ingest(opened, record(name), {})
        found.add(opened.fingerprint())
        opened.close()
    assert len(found) == 1


def test_meta_is_stored_and_replaced(catalogue: SqlCatalogue) -> None:
    assert catalogue.get_meta("embedding") is None
    catalogue.set_meta("embedding", "one")
    catalogue.set_meta("embedding", "two")
    assert catalogue.get_meta("embedding") == "two"


def test_what_is_noted_once_stays_also_for_one_that_has_not_seen_it(url: str, catalogue: SqlCatalogue) -> None:
    assert catalogue.note_once("index_id", "one") == "one"
    assert catalogue.note_once("index_id", "two") == catalogue.get_meta("index_id") == "one"
    if url != "sqlite://":
        other = SqlCatalogue(url)
        catalogue.set_meta("other", "three")
        assert other.note_once("other", "four") == other.get_meta("other") == "three"
        other.close()


def test_what_is_released_stays_hidden_and_is_whoevers_takes_it_over_next(url: str, catalogue: SqlCatalogue) -> None:
    if url == "sqlite://":
        pytest.skip("a database in memory belongs to one process")
    ingest(catalogue, record(), {})
    catalogue.begin("manual.pdf", OLD)
    other = SqlCatalogue(url)
    assert other.take_over() == []
    catalogue.release("manual.pdf")
    assert catalogue.hidden_versions() == (("manual.pdf", OLD),)
    assert other.take_over() == [("manual.pdf", OLD, OLD)]
    other.close()


def test_all_is_there_again_after_opening(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "catalogue.db")
    first = SqlCatalogue(url)
    ingest(first, record(), {5: 2})
    first.begin("manual.pdf", NEW)
    first.close()
    again = SqlCatalogue(url)
    assert again.get("manual.pdf") == record()
    assert again.document_frequencies([5]) == {5: 2}
    assert again.hidden_versions() == (("manual.pdf", NEW),)
    again.close()
