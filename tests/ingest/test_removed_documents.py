"""Documents that are removed, on request or because their file is gone."""

from collections.abc import Callable

import pytest
from indexes import NEW, OLD, Index, text_of

from rag.errors import InvalidDocument
from rag.language.bm25 import encode_query
from rag.protocols import SearchScope


def test_a_removed_document_answers_nothing_any_more(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.write("notes.txt", NEW)
    index.outcomes()
    assert index.indexer.forget("manual.md").outcome == "removed"
    vector = index.embedder.embed([OLD])[0]
    scope = SearchScope(hidden_versions=index.catalogue.hidden_versions())
    dense = index.store.fetch([hit.chunk_id for hit in index.store.search_dense(vector, limit=20, scope=scope)])
    assert {found.chunk.document for found in dense} == {"notes.txt"}
    assert index.store.search_sparse(encode_query("Monday"), limit=20, scope=scope) == []
    assert index.catalogue.document_frequencies(encode_query("Monday").indices) == {}
    assert index.stored() == index.catalogue.chunk_count() == 1


def test_a_document_is_seen_while_a_copy_of_it_is_written_and_while_that_is_forgotten(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    before, seen = index.visible(), []

    def watched(change: Callable[..., None]) -> Callable[..., None]:
        def changed(*arguments: object, **options: object) -> None:
            seen.append((index.visible("manual.md"), index.visible("manual copy.md")))
            change(*arguments, **options)
            seen.append((index.visible("manual.md"), index.visible("manual copy.md")))

        return changed

    monkeypatch.setattr(index.store, "upsert", watched(index.store.upsert))
    monkeypatch.setattr(index.store, "delete", watched(index.store.delete))
    index.write("manual copy.md", text_of(OLD))
    assert index.outcomes() == {"manual copy.md": "added", "manual.md": "unchanged"}
    assert index.visible("manual copy.md") == before != ""
    index.indexer.forget("manual copy.md")
    assert seen == [(before, "")] * 4


def test_forgetting_an_unknown_document_says_what_is_known(index: Index) -> None:
    with pytest.raises(InvalidDocument, match=r"'nothing\.pdf' is not indexed"):
        index.indexer.forget("nothing.pdf")


def test_pruning_removes_documents_whose_file_is_gone_and_only_on_request(index: Index) -> None:
    gone = index.write("gone.txt", OLD)
    index.write("stays.txt", NEW)
    index.outcomes()
    gone.unlink()
    assert index.outcomes() == {"stays.txt": "unchanged"}
    assert index.outcomes(prune=True) == {"gone.txt": "removed", "stays.txt": "unchanged"}
    assert [record.document for record in index.catalogue.documents()] == ["stays.txt"]
