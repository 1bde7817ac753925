"""The page Documents: what is indexed, adding, removing with confirmation, reading chunks."""

import time

import pytest
from seen import Open, button, text_of
from streamlit.testing.v1 import AppTest

from dashboard import documents, resources
from dashboard.jobs import Cancelled, Job
from rag.candor import Candor
from rag.ingest import indexer

NOTE = b"# Lantern\n\nThe lantern of Orsk burns whale oil and is lit by Marta Lind at dusk every evening.\n"


def wait_for_jobs(test: AppTest) -> AppTest:
    for job in resources.get_jobs().of(documents.KIND):
        assert job.thread is not None
        job.thread.join(60)
    return test.run()


def test_an_empty_index_says_what_to_do(open_empty: Open) -> None:
    test = open_empty("documents")
    assert [title.value for title in test.title] == ["Documents"]
    assert "Nothing is indexed yet" in text_of(test)


def test_the_list_has_chunks_pages_size_hash_and_date(open_page: Open) -> None:
    test = open_page("documents")
    listed = test.dataframe[0].value.set_index("document")
    assert {"safety_manual.pdf", "textbook.md", "faq.html", "travel_policy.docx"} <= set(listed.index)
    assert listed.loc["safety_manual.pdf", "pages"] == 14
    assert listed.loc["safety_manual.pdf", "chunks"] > 20
    assert len(listed.loc["safety_manual.pdf", "hash"]) == 12
    assert listed["size"].gt(0).all()


def test_the_list_is_searched_by_name(open_page: Open) -> None:
    test = open_page("documents", find="travel")
    assert list(test.dataframe[0].value["document"]) == ["travel_policy.docx"]


def test_a_chunk_is_shown_with_its_pieces_and_its_neighbours(open_page: Open) -> None:
    test = open_page("documents", shown="safety_manual.pdf")
    test.selectbox(key="chunk_number").set_value(3).run()
    said = text_of(test)
    assert "Chunk 3 · page" in said
    assert "of 256 word pieces" in said
    assert said.count("(neighbour)") == 2


def test_an_uploaded_file_answers_and_a_broken_one_says_why_it_was_not_added(open_empty: Open) -> None:
    test = open_empty("documents")
    test.file_uploader[0].set_value(
        [("lantern.md", NOTE, "text/markdown"), ("broken.pdf", b"no pdf", "application/pdf")]
    )
    test.run()
    button(test, "Add 2 to the index").click().run()
    test = wait_for_jobs(test)
    said = text_of(test)
    assert "1 added" in said
    assert "1 failed" in said
    assert "broken.pdf" in said
    assert [record.document for record in resources.get_candor().documents()] == ["lantern.md"]


def test_what_of_an_uploaded_file_could_not_be_read_is_told(open_empty: Open) -> None:
    test = open_empty("documents")
    damaged = (
        "# Öllampe\n\nDie Öllampe in Örsk hängt über der Tür und heißt Grünfeuer, größer als üblich. ".encode()
        + b"\xff"
    )
    test.file_uploader[0].set_value([("lamp.md", damaged, "text/markdown")])
    test.run()
    button(test, "Add 1 to the index").click().run()
    wait_for_jobs(test)
    (warning,) = test.warning
    assert "not valid UTF-8" in warning.value


def test_a_document_is_removed_only_after_confirmation(open_page: Open, library: Candor) -> None:
    library.ingest_bytes("lantern.md", NOTE)
    test = open_page("documents", shown="lantern.md")
    button(test, "Remove").click().run()
    assert "it answers nothing any more" in text_of(test)
    assert library.wiring.catalogue.get("lantern.md") is not None
    button(test, "Remove it").click().run()
    assert library.wiring.catalogue.get("lantern.md") is None
    assert not test.warning  # who removed it needs no word of it


def test_a_link_to_a_document_that_is_not_indexed_says_so_until_another_is_chosen(open_page: Open) -> None:
    gone = "The document lantern_2.md is not indexed"
    test = open_page("documents", shown="lantern_2.md")
    assert [one.proto.title for one in test.warning] == [gone.replace("_", "\\_")]
    test.selectbox(key="shown").set_value("textbook.md").run()
    assert not test.warning
    assert not open_page("documents", shown="textbook.md").warning
    assert not open_page("documents").warning


def test_a_document_is_read_again_from_where_it_came(open_page: Open, library: Candor) -> None:
    before = library.wiring.catalogue.get("textbook.md")
    test = open_page("documents", shown="textbook.md")
    button(test, "Ingest again").click().run()
    started = time.monotonic()
    test = wait_for_jobs(test)
    assert time.monotonic() - started < 60
    after = library.wiring.catalogue.get("textbook.md")
    assert before is not None
    assert after is not None
    assert after.ingested_at > before.ingested_at
    assert "1 replaced" in text_of(test)


def test_cancelling_an_upload_stops_within_a_file_and_leaves_nothing_of_it(
    library: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "EMBEDDED_AT_ONCE", 2)
    told: list[str] = []

    class CancelledInTheSecondFile(Job):
        def tell(self, done: int, total: int, current: str = "") -> None:
            told.append(current)
            if "chunks read" in current and done == 1:
                self.cancel.set()
            super().tell(done, total, current)

    job = CancelledInTheSecondFile(documents.KIND, "Adding 3 files")
    long = NOTE + b"\n".join(b"The lamp number %d of Orsk stands on pier %d." % (n, n) for n in range(400))
    files = [("first.md", NOTE), ("long.md", long), ("third.md", NOTE + b"Another.")]
    try:
        with pytest.raises(Cancelled):
            documents.ingest_files(library, files, job)
        indexed = {record.document for record in library.documents()}
        assert "first.md" in indexed
        assert not indexed & {"long.md", "third.md"}
        assert [one.document for one in job.result] == ["first.md"]
        assert told[-1].startswith("long.md, 2 chunks read")
    finally:
        library.forget("first.md")


def test_cancelling_leaves_a_file_that_is_still_being_read(library: Candor) -> None:
    told: list[str] = []

    class CancelledWhileReading(Job):
        def tell(self, done: int, total: int, current: str = "") -> None:
            told.append(current)
            super().tell(done, total, current)
            self.cancel.set()  # its turn has come, and nothing is read of it yet

    job = CancelledWhileReading(documents.KIND, "Adding a file")
    with pytest.raises(Cancelled):
        documents.ingest_files(library, [("slow.md", NOTE)], job)
    assert told == ["slow.md"]  # not a chunk of it
    assert "slow.md" not in {record.document for record in library.documents()}
