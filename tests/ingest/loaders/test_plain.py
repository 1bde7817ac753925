"""Plain text files."""

from loader_checks import check

from rag.ingest.loaders import load_bytes
from rag.models import Document


def load(text: str) -> Document:
    return check(load_bytes("a.txt", text.encode()))


def test_form_feeds_are_pages() -> None:
    document = load("First page.\fSecond page.\f\fFourth.\f")
    assert [document.text[page.start : page.end].strip() for page in document.pages] == [
        "First page.", "Second page.", "", "Fourth."
    ]  # fmt: skip


def test_without_form_feeds_there_are_no_pages() -> None:
    assert load("One.\n\nTwo.").pages == ()


def test_underlined_and_numbered_lines_are_headings() -> None:
    document = load("Field guide\n===========\n\nIntro.\n\n1.1 Soils\n\nClay.\n\nChapter 2: Water\n\nRain.")
    assert [one.path[-1] for one in document.sections] == ["Field guide", "1.1 Soils", "Chapter 2: Water"]
    assert "====" not in document.text


def test_sentences_that_begin_with_a_number_are_no_headings() -> None:
    document = load("3.5 litres were used.\n\n12 people came\n\n2.1 grams of salt, then water.")
    assert len(document.sections) == 1


def test_rules_between_paragraphs_are_no_headings() -> None:
    assert len(load("This is a paragraph that ends here.\n-----\n\nNext.").sections) == 1


def test_list_items_break() -> None:
    document = load("Wear:\n- gloves that\n  fit well\n- goggles")
    assert [document.text[at:][:8] for at in document.breaks] == ["Wear:\n\n-", "- gloves", "- goggle"]


def test_a_chapter_s_title_may_end_in_a_full_stop_and_a_sentence_on_a_chapter_is_none() -> None:
    document = load("CHAPTER 1. Loomings.\n\nCall me.\n\nChapter II: The Carpet-Bag.\n\nI stuffed.")
    assert [one.chapter for one in document.sections] == [1, 2]
    assert document.sections[0].path == ("CHAPTER 1. Loomings.",)
    for sentence in ("Chapter 3 describes it.", "Chapter 3. See it. Then go.", "Chapter 3 Tools."):
        assert load(f"{sentence}\n\nText.").sections[0].chapter is None
