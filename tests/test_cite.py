"""Citations: verbatim excerpts of at most 200 characters, on the page that holds them, with IEEE text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from passages import hit

from rag.cite import cite, ieee_reference
from rag.language.excerpts import cut_to_words
from rag.models import DocumentMetadata, GroundedSentence, RetrievedChunk, SectionStart

TEXT = "Wear gloves. Wash your hands afterwards. Store acetone in the cabinet."
METADATA = DocumentMetadata(
    title="Working Safely", authors=("Jane Mary van der Ek", "Å. Ödegård"), year=2021, url="https://lab.example/safe"
)


def grounded(text: str, *evidence: str, passages: tuple[int, ...] = (1,), supported: bool = True) -> GroundedSentence:
    return GroundedSentence(text=text, supported=supported, support=0.9, passages=passages, evidence=evidence)


def placed(text: str, **values: object) -> RetrievedChunk:
    return hit(text).model_copy(update=values)


def test_citations_stand_in_order_of_first_use_and_are_shared() -> None:
    sentences = [
        grounded("Wash hands.", "Wash your hands afterwards."),
        grounded("Gloves are needed.", "Wear gloves."),
        grounded("Hands are washed.", "Wash your hands afterwards."),
    ]
    shown, citations = cite(sentences, [hit(TEXT)])
    assert [citation.excerpt for citation in citations] == ["Wash your hands afterwards.", "Wear gloves."]
    assert [sentence.citations for sentence in shown] == [(0,), (1,), (0,)]


def test_what_is_not_supported_is_neither_shown_nor_cited() -> None:
    shown, citations = cite([grounded("It is 9.", "Wear gloves.", supported=False)], [hit(TEXT)])
    assert (shown, citations) == ((), ())


def test_a_passage_that_does_not_carry_the_sentence_is_not_cited() -> None:
    sentence = grounded("Gloves are needed.", "Wear gloves.", "", passages=(1, 2))
    shown, citations = cite([sentence], [hit(TEXT), hit("Other text.", rank=2)])
    assert [citation.chunk_id for citation in citations] == ["chunk-1"]
    assert shown[0].citations == (0,)


def test_offsets_count_in_the_document() -> None:
    _, citations = cite(
        [grounded("Wash.", "Wash your hands afterwards.")], [placed(TEXT, start=1000, end=1000 + len(TEXT))]
    )
    assert (citations[0].start, citations[0].end) == (1013, 1040)


def test_a_page_that_is_printed_with_another_number_is_cited_with_both() -> None:
    chunk = placed(TEXT, page=9, last_page=10, page_starts=((10, 41),), printed_pages=((9, "vii"),))
    _, citations = cite([grounded("a", "Wear gloves."), grounded("b", "Store acetone in the cabinet.")], [chunk])
    assert [(citation.page, citation.printed) for citation in citations] == [(9, "vii"), (10, None)]
    assert citations[0].ieee.endswith("p. 9 (printed: vii).")
    assert citations[1].ieee.endswith("p. 10.")


def test_the_page_is_the_one_that_holds_the_excerpt() -> None:
    chunk = placed(TEXT, page=4, last_page=5, page_starts=((5, 41),))
    _, citations = cite([grounded("a", "Wear gloves."), grounded("b", "Store acetone in the cabinet.")], [chunk])
    assert [citation.page for citation in citations] == [4, 5]


def test_an_excerpt_over_a_page_break_is_cut_to_the_page_that_holds_most_of_it() -> None:
    chunk = placed(TEXT, page=4, last_page=5, page_starts=((5, 18),))
    _, citations = cite([grounded("a", "Wash your hands afterwards.")], [chunk])
    assert (citations[0].page, citations[0].excerpt) == (5, "your hands afterwards.")


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


def test_an_excerpt_does_not_cross_from_one_section_into_the_next() -> None:
    chunk = placed(SHARED, section_starts=STARTS)
    _, citations = cite([grounded("a", SHARED)], [chunk])
    assert (citations[0].section, citations[0].excerpt) == ("1.3 Gate", "1.3 Gate\n\nThe gate closes at 21:15.")


def test_a_passage_under_a_chapter_heading_alone_is_cited_by_its_chapter() -> None:
    chunk = placed(TEXT, chapter=6, chapter_title="What the crew does", metadata=DocumentMetadata(title="Drill"))
    _, (citation,) = cite([grounded("a", "Wear gloves.")], [chunk])
    assert citation.label == "[manual.pdf, chapter 6 What the crew does]"
    assert citation.ieee == "[1] Drill, ch. 6."


def test_what_a_passage_says_twice_is_cited_where_the_quoted_sentence_stands() -> None:
    """Two sentences and their spaces are 38 characters, `The spare key ` is 14."""
    text = "The main key is in room B17. It does. The spare key is in room B17."
    chunk = placed(text, page=1, last_page=2, page_starts=((2, 38),))
    _, citations = cite([grounded("The spare key is in room B17.", "is in room B17.")], [chunk])
    assert (citations[0].page, citations[0].start) == (2, 52)


def test_an_ieee_reference_has_authors_title_year_place_and_address() -> None:
    _, citations = cite(
        [grounded("a", "Wear gloves.")], [placed(TEXT, metadata=METADATA, page=3, section="2.2 Gloves")]
    )
    assert citations[0].ieee == (
        "[1] J. M. van der Ek and Å. Ödegård, Working Safely, 2021, p. 3, sec. 2.2. [Online]. "
        "Available: https://lab.example/safe"
    )


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (DocumentMetadata(), "manual.pdf."),
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


def test_a_cut_ends_at_a_word() -> None:
    assert cut_to_words("gloves and goggles", (0, 18), 12) == (0, 10)
    assert cut_to_words("x" * 300, (0, 300), 200) == (0, 200)


@settings(max_examples=60, deadline=None)
@given(
    content=st.text(alphabet=st.sampled_from("abcdeé .\nXYZ1,"), min_size=20, max_size=600),
    span=st.tuples(st.integers(0, 500), st.integers(1, 500)),
    breaks=st.lists(st.integers(1, 599), max_size=3, unique=True),
)
def test_every_excerpt_is_verbatim_within_its_limit_and_on_one_page(
    content: str, span: tuple[int, int], breaks: list[int]
) -> None:
    evidence = content[span[0] : span[0] + span[1]].strip()
    starts = tuple((page, offset) for page, offset in enumerate(sorted(breaks), 8) if offset < len(content))
    chunk = placed(content, start=50, end=50 + len(content), page=7, last_page=7 + len(starts), page_starts=starts)
    _, citations = cite([grounded("a", evidence)], [chunk])
    for citation in citations:
        assert citation.start is not None
        assert citation.end is not None
        assert content[citation.start - 50 : citation.end - 50] == citation.excerpt
        assert 0 < len(citation.excerpt) <= 200
        assert (
            len({sum(offset <= place - 50 for _, offset in starts) for place in range(citation.start, citation.end)})
            == 1
        )
