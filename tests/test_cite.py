"""Citations: verbatim, on the page that holds them, with IEEE text and an address that a link may open."""

import pytest
from passages import hit

from rag.cite import as_text, cite, ieee_reference
from rag.ingest.loaders import load_bytes
from rag.models import (
    AnswerSentence,
    Citation,
    DocumentMetadata,
    GeneratorInfo,
    GroundedSentence,
    RetrievedChunk,
    SectionStart,
)

TEXT = "Wear gloves. Wash your hands afterwards. Store acetone in the cabinet."
METADATA = DocumentMetadata(
    title="Working Safely", authors=("Jane Mary van der Ek", "Å. Ödegård"), year=2021, url="https://lab.example/safe"
)


def grounded(text: str, *evidence: str, passages: tuple[int, ...] = (1,), supported: bool = True) -> GroundedSentence:
    return GroundedSentence(text=text, supported=supported, support=0.9, passages=passages, evidence=evidence)


def placed(text: str, **values: object) -> RetrievedChunk:
    return hit(text).model_copy(update=values)


def test_citations_stand_in_order_of_first_use_are_shared_and_are_of_what_is_supported_and_carries() -> None:
    wash = "Wash your hands afterwards."
    said = [
        grounded("Wash.", wash),
        grounded("Gloves.", "Wear gloves.", "", passages=(1, 2)),
        grounded("Hands.", wash),
        grounded("It is 9.", "Store acetone in the cabinet.", supported=False),
    ]
    shown, citations = cite(said, [hit(TEXT), hit("Other text.", rank=2)])
    assert [(one.chunk_id, one.excerpt) for one in citations] == [("chunk-1", wash), ("chunk-1", "Wear gloves.")]
    assert [sentence.citations for sentence in shown] == [(0,), (1,), (0,)]


def test_the_page_is_that_of_the_excerpt_and_cited_with_the_number_printed_on_it() -> None:
    chunk = placed(TEXT, page=9, last_page=10, page_starts=((10, 41),), printed_pages=((9, "vii"),))
    _, citations = cite([grounded("a", "Wear gloves."), grounded("b", "Store acetone in the cabinet.")], [chunk])
    assert [(citation.page, citation.printed) for citation in citations] == [(9, "vii"), (10, None)]
    assert citations[0].ieee.endswith("p. 9 (printed: vii).")
    assert citations[1].ieee.endswith("p. 10.")


SHARED = "1.2 Canteen\n\nSoup.\n\n1.3 Gate\n\nThe gate closes at 21:15."
STARTS = (
    SectionStart(offset=0, chapter=None, section="1.2 Canteen", section_number="1.2"),
    SectionStart(offset=20, chapter=1, section="1.3 Gate", section_number="1.3"),
)


def test_chapter_and_section_are_those_that_hold_the_excerpt_where_short_sections_share_a_chunk() -> None:
    chunk = placed(SHARED, chapter=1, section="1.2 Canteen", section_number="1.2", section_starts=STARTS)
    _, citations = cite([grounded("a", "The gate closes at 21:15."), grounded("b", "Soup.")], [chunk])
    assert [(one.chapter, one.section) for one in citations] == [(1, "1.3 Gate"), (None, "1.2 Canteen")]
    assert [one.ieee for one in citations] == ["[1] manual.pdf, sec. 1.3.", "[2] manual.pdf, sec. 1.2."]


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (DocumentMetadata(), "manual.pdf."),
        (METADATA, f"J. M. van der Ek and Å. Ödegård, Working Safely, 2021. [Online]. Available: {METADATA.url}"),
        (DocumentMetadata(title="A & B"), "A & B."),
        (DocumentMetadata(title="Say “no”", publisher="Lab Press"), "Say “no”, Lab Press."),
        (DocumentMetadata(title="T", authors=("Ek, Jane",)), "J. Ek, T."),
        (DocumentMetadata(title="T", authors=("National Safety Council",)), "National Safety Council, T."),
        (DocumentMetadata(title="T", authors=("Plato",), year=2001), "Plato, T, 2001."),
        (DocumentMetadata(title="T", authors=("A. B. Cee", "D. Ee", "F. Gee")), "A. B. Cee, D. Ee, and F. Gee, T."),
    ],
)
def test_an_ieee_reference_says_what_is_known_and_no_more(metadata: DocumentMetadata, expected: str) -> None:
    assert ieee_reference(metadata, "manual.pdf") == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("extractive", "You bring:/- gloves./It rains. Bring a hat./It is dry."),
        ("ollama", "You bring:/- gloves./It rains. Bring a hat. It is dry."),
    ],
)
def test_items_stand_on_lines_of_their_own_and_so_do_quotations_from_two_chunks(name, text):
    said = ["You bring:", "- gloves.", "It rains.", "Bring a hat.", "It is dry."]
    sentences = [AnswerSentence(text=one, support=1.0, citations=(int(one == "It is dry."),)) for one in said]
    citations = [Citation(document="a.md", excerpt="x", chunk_id=one, similarity_score=0.5) for one in "ab"]
    assert as_text(sentences, citations, said, speaker=GeneratorInfo(name=name), line="/") == text


KEPT = "HTTPS://Lab.example/Safety", "https://lab.example:8080/übung?page=2#gloves", "http://[2001:db8::1]/safety"
DROPPED = (
    "javascript:alert(1)", " JavaScript:alert(1)", "java\nscript:alert(1)", "data:text/html,<p>", "file:///etc/hosts",
    "//lab.example/safety", "/safety", "lab.example", "https:safety", "https:///safety", "http://[2001:db8::1",
    "https://lab.example/a b", 'https://lab.example/"onclick="alert(1)', "https://lab.example/\u202egpj.exe", "",
)  # fmt: skip


@pytest.mark.parametrize("url", KEPT)
def test_an_absolute_web_address_is_kept_as_written(url):
    assert DocumentMetadata(url=url).url == url


@pytest.mark.parametrize("url", DROPPED)
def test_anything_else_is_no_address_of_a_document_and_no_error(url):
    assert DocumentMetadata(title="Safety", url=url) == DocumentMetadata(title="Safety")


def test_neither_an_index_made_before_nor_front_matter_can_put_a_script_where_the_address_stands():
    written = '{"document": "a.md", "excerpt": "Gloves.", "chunk_id": "1", "similarity_score": 1, "url": "data:,x"}'
    document = load_bytes("gloves.md", b"---\ntitle: Gloves\nurl: javascript:alert(1)\n---\n# Gloves\n\nWear gloves.")
    assert Citation.model_validate_json(written).url is None
    assert (document.metadata.title, document.metadata.url) == ("Gloves", None)
    assert "Wear gloves." in document.text
