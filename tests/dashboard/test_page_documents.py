"""The page Documents: what is indexed, adding, reading, removing with confirmation."""

import pytest
from seen import button, says, text_of

from dashboard import documents, resources
from dashboard.jobs import Cancelled, Job
from rag.errors import ServiceUnavailable
from rag.ingest import indexer

NOTE = b"# Lantern\n\nThe lantern of Orsk burns whale oil and is lit by Marta Lind at dusk every evening.\n"


def wait_for_jobs(test):
    for job in resources.get_jobs().of(documents.KIND):
        job.thread.join(60)
    return test.run()


def test_the_list_has_pages_titles_sizes_and_what_could_not_be_read(open_page):
    test = open_page("documents")
    assert "Nothing that you add leaves this machine." in text_of(test)
    listed = test.dataframe[0].value.set_index("document")
    assert listed.loc["safety_manual.pdf", "pages"] == 14
    assert listed.loc["textbook.md", "title"] == "Glaciers: A Short Introduction"
    assert listed["size"].gt(0).all()
    assert list(open_page("documents", find="travel").dataframe[0].value["document"]) == ["travel_policy.docx"]


def test_an_open_document_is_read_with_its_headings_lists_and_tables_and_searched(open_page):
    test = open_page("documents", shown="travel_policy.docx")
    (text,) = (one.value for one in test.markdown if "#### 2 On the journey" in one.value)
    says(text, "- Trains: second class",
         "| Region | Room per night | Daily allowance |\n| --- | --- | --- |\n| Within the country |")  # fmt: skip
    test.toggle(key="passages").set_value(True).run()
    says(text_of(test), "Passage 1 ·", "Passage 2 ·", "of 256 word pieces")
    test.toggle(key="passages").set_value(False)
    test.text_input(key="in-travel_policy.docx").set_value("minibar").run()
    says(text_of(test), "1 passage with “minibar”", ":orange-background[minibar]")
    assert "Before the journey" not in text_of(test)


def test_what_is_dropped_is_added_at_once_and_replaces_a_document_only_after_a_question(open_empty):
    test = open_empty("documents")
    files = [("lantern.md", NOTE, "text/markdown"), ("broken.pdf", b"no pdf", "application/pdf")]
    test = wait_for_jobs(test.file_uploader[0].set_value(files).run())
    assert "**1 added, 1 failed**" in text_of(test)
    assert [one.proto.title for one in test.error] == ["broken.pdf was not added"]
    assert [record.document for record in resources.get_candor().documents()] == ["lantern.md"]

    files = [("lantern.md", NOTE + b"It is out.", "text/markdown"), ("moss.md", b"# Moss\n\n" + NOTE, "text/markdown")]
    test.file_uploader[0].set_value(files).run()
    assert [one.proto.title for one in test.warning] == ["1 document would be replaced"]
    button(test, "Add only the others").click().run()
    assert "**1 added, 0 failed**" in text_of(wait_for_jobs(test))
    test.file_uploader[0].set_value(files[:1]).run()
    button(test, "Replace them").click().run()
    assert "**1 replaced, 0 failed**" in text_of(wait_for_jobs(test))


def test_a_document_is_removed_only_after_confirmation_and_a_link_to_it_then_says_so(open_page, library):
    library.ingest_bytes("lantern.md", NOTE)
    test = open_page("documents", shown="lantern.md")
    assert library.wiring.catalogue.get("lantern.md") is not None
    button(test, "Remove it").click().run()
    assert library.wiring.catalogue.get("lantern.md") is None
    assert not test.warning  # who removed it needs no word of it
    titles = [one.proto.title for one in open_page("documents", shown="lantern.md").warning]
    assert titles == ["The document lantern.md is not indexed"]


def test_an_index_that_does_not_answer_is_said_in_an_error_box(open_page, library, monkeypatch):
    def away():
        raise ServiceUnavailable("The database does not answer.")

    monkeypatch.setattr(library.wiring.catalogue, "fingerprint", away)
    assert "The database does not answer." in text_of(open_page("documents", shown="textbook.md"))


def test_a_document_is_read_again_from_where_it_came(open_page, library):
    before = library.wiring.catalogue.get("textbook.md")
    test = open_page("documents", shown="textbook.md")
    button(test, "Read again").click().run()
    assert "1 replaced, 0 failed" in text_of(wait_for_jobs(test))
    assert library.wiring.catalogue.get("textbook.md").ingested_at > before.ingested_at


def test_cancelling_an_upload_stops_within_a_file_and_leaves_nothing_of_it(library, monkeypatch):
    monkeypatch.setattr(indexer, "EMBEDDED_AT_ONCE", 2)

    class CancelledInTheSecondFile(Job):
        def tell(self, done, total, current=""):
            if current.startswith("long.md, 2 passages read"):  # before it: that it is waited for, on a slow machine
                self.cancel.set()
            super().tell(done, total, current)

    job = CancelledInTheSecondFile(documents.KIND, "Adding 3 files")
    long = NOTE + b"\n".join(b"The lamp number %d of Orsk stands on pier %d." % (n, n) for n in range(400))
    files = [("first.md", NOTE), ("long.md", long), ("third.md", NOTE + b"Another.")]
    with pytest.raises(Cancelled):
        documents.ingest_files(library, files, job)
    indexed = {record.document for record in library.documents()}
    library.forget("first.md")
    assert indexed & {"first.md", "long.md", "third.md"} == {"first.md"}
    assert [one.document for one in job.result] == ["first.md"]
