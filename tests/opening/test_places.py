from datetime import UTC, datetime

import pytest

from rag import Candor
from rag.models import DocumentRecord, Filters
from rag.opening.places import named_in, passages_of
from rag.opening.replies import reply

SECTIONS = {
    "safety_manual.pdf": ["1.1 Purpose", "2.2 Working with hoods", "4.2 Waste containers", "5.1 Liquid nitrogen"],
    "textbook.md": ["1.1 From snow to ice", "4.2 Deposits", "5.3 Dangers"],
    "travel_policy.docx": ["Daily allowances", "Booking of hotels", "[2.0.1] - 2026-03-02"],
}
CHAPTERS = {"safety_manual.pdf": ["1", "2", "4", "5"], "textbook.md": ["1", "4", "5"], "travel_policy.docx": []}


def record(document, title=None):
    sizes = {"chunks": 1, "hash": "0" * 64, "size_bytes": 1, "media_type": "text/plain", "characters": 1}
    return DocumentRecord(document=document, title=title, ingested_at=datetime(2026, 1, 1, tzinfo=UTC), **sizes)


DOCUMENTS = [
    record("safety_manual.pdf", "Laboratory Safety Manual of the Larkfield Institute"),
    record("textbook.md", "Glaciers: A Short Introduction"),
    record("travel_policy.docx", "Travel Policy"),
]


class Store:
    """Knows which sections and chapters a document has, or all of them together."""

    def facets(self, field, scope):
        held = SECTIONS if field == "section" else CHAPTERS
        return {name: 1 for document, each in held.items() if scope.filters.holds(document) for name in each}


def place(question, documents=DOCUMENTS):
    return named_in(question, Store(), documents, ())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Summarise the safety manual", Filters(source="safety_manual.pdf")),
        ("summarise the saftey manual", Filters(source="safety_manual.pdf")),
        ("What does section 4.2 say?", Filters(section="4.2")),
        ("What does section 4.2 of the safety manual say?", Filters(source="safety_manual.pdf", section="4.2")),
        ("what is chapter 5 about", Filters(chapter=5)),
        ("what does version 2.0.1 bring", Filters(section="[2.0.1] - 2026-03-02")),
        ("chapter 4 of the textbook", Filters(source="textbook.md", chapter=4)),
        ("Summarise the rules for liquid nitrogen", Filters(section="5.1 Liquid nitrogen")),
        ("summarise this", None),
        ("What does section 9.9 say?", None),
        ("summarise the cookery book", None),
        ("", None),
    ],
)
def test_a_question_names_a_document_a_section_or_a_chapter_that_the_index_has(question, expected):
    assert place(question) == expected


def test_the_only_document_is_meant_and_of_two_that_fit_equally_well_neither():
    editions = [record("handbook_2023.pdf", "Staff Handbook"), record("handbook_2024.pdf", "Staff Handbook")]

    assert place("summarise this", DOCUMENTS[2:]) == Filters(source="travel_policy.docx")
    assert place("summarise the staff handbook", editions) is None


def test_a_section_of_the_samples_begins_with_its_own_sentences(library: Candor):
    pipeline = library.pipeline
    hidden = pipeline.catalogue.hidden_versions()
    found = named_in(
        "What does section 4.2 of the textbook say?", pipeline.store, pipeline.catalogue.documents(), hidden
    )

    assert found == Filters(source="textbook.md", section="4.2")
    passages = passages_of(found, pipeline.store, hidden, sentences=5)
    sentences = [chunk.sentence_texts[number] for chunk, numbers in passages for number in numbers]
    assert 1 <= len(sentences) <= 5
    assert "4.2 Deposits" not in sentences
    assert "moraine" in " ".join(sentences).lower()
    assert {chunk.document for chunk, _ in passages} == {"textbook.md"}


def test_replies_give_the_number_of_documents_and_without_any_say_how_to_add_some():
    assert reply("greeting", DOCUMENTS) == "Hello! Ask me anything about your 3 documents."
    assert reply("question", DOCUMENTS) is None
    assert all("candor ingest" in str(reply(kind, [])) for kind in ("greeting", "about", "documents"))


def test_the_list_of_documents_has_titles_and_file_names_and_ends_after_20():
    listed = str(reply("documents", DOCUMENTS)).splitlines()

    assert listed == [
        "I have 3 documents:",
        "- Laboratory Safety Manual of the Larkfield Institute (safety_manual.pdf)",
        "- Glaciers: A Short Introduction (textbook.md)",
        "- Travel Policy (travel_policy.docx)",
    ]
    many = str(reply("documents", [record(f"{number:02}.txt") for number in range(23)])).splitlines()
    assert many[1] == "- 00.txt"
    assert many[20:] == ["- 19.txt", "and 3 more"]
