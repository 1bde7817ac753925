"""Markdown files."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from loader_checks import check

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.models import Document


def load(text: str) -> Document:
    return check(load_bytes("a.md", text.encode()))


def test_front_matter_becomes_metadata_and_leaves_the_text() -> None:
    document = load(
        "---\nTitle: Soil\nauthors: [Ida Berg, {name: Jo Ek}]\nyear: 2021\nurl: https://x.example/s\n"
        "module: GEO-1\npublisher: Press\n---\n# Chapter 1: Clay\n\nText."
    )
    assert document.text == "Chapter 1: Clay\n\nText."
    metadata = document.metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Soil", ("Ida Berg", "Jo Ek"), 2021)
    assert (metadata.url, metadata.module, metadata.publisher) == ("https://x.example/s", "GEO-1", "Press")


def test_front_matter_with_one_author_and_a_date() -> None:
    metadata = load("---\nauthor: Ida Berg\ndate: 2020-05-01\n---\nText.").metadata
    assert (metadata.authors, metadata.year) == (("Ida Berg",), 2020)


def test_front_matter_gives_the_chapter() -> None:
    assert load("---\nchapter: 7\n---\n# Clay\n\nText.").sections[0].chapter == 7


@pytest.mark.parametrize("front", ["---\n: : :\n\t- {\n---\n", "---\n- a list\n---\n", "---\ndate: 2024-13-45\n---\n"])
def test_broken_front_matter_stays_text(front: str) -> None:
    assert "Body" in load(front + "# T\n\nBody.").text


def test_title_is_the_only_top_heading() -> None:
    assert load("# Soil *science*\n\nText.").metadata.title == "Soil science"
    assert load("# Chapter 1: A\n\nx\n\n# Chapter 2: B\n\ny").metadata.title is None


def test_headings_lose_their_marks_and_give_sections() -> None:
    document = load("# Chapter 2: Hoods\n\nIntro.\n\n## 2.2 Working with hoods ##\n\nText.\n\nSetext\n------\n\nMore.")
    assert document.text == "Chapter 2: Hoods\n\nIntro.\n\n2.2 Working with hoods\n\nText.\n\nSetext\n\nMore."
    assert [one.section for one in document.sections] == [None, "2.2 Working with hoods", "Setext"]
    assert [one.chapter for one in document.sections] == [2, 2, 2]


def test_text_keeps_its_own_characters() -> None:
    text = "The **sash** is `closed` at 20\\% of its _height_."
    assert load(text).text == text


def test_what_a_reader_never_sees_is_gone() -> None:
    document = load(
        'Before <!-- hidden\nnote --> after H<sub>2</sub>O [link](http://x.example/a_(b) "t") ![alt](p.png).\n\n'
        '<iframe src="https://x.example"></iframe>\n\nEnd <https://x.example>.'
    )
    assert document.text == "Before after H2O link alt.\n\nEnd https://x.example."


def test_a_less_than_sign_is_no_tag() -> None:
    assert load("If a < b and b > c, stop.").text == "If a < b and b > c, stop."


def test_lists_keep_their_markers_and_break_at_every_item() -> None:
    document = load("Wear:\n\n* gloves\n* goggles\n\n1. first\n2. second")
    assert document.text == "Wear:\n\n* gloves\n* goggles\n1. first\n2. second"
    assert [document.text[at:].split("\n")[0] for at in document.breaks] == [
        "Wear:", "* gloves", "* goggles", "1. first", "2. second"
    ]  # fmt: skip


def test_tables_become_rows_without_the_rule() -> None:
    document = load("| Class | Wear |\n| :--- | ---: |\n| A | gloves and **goggles** |\n| B | |\n")
    assert document.text == "| Class | Wear |\n| A | gloves and **goggles** |\n| B | |"
    assert len(document.breaks) == 3


def test_code_is_kept_and_its_hashes_are_no_headings() -> None:
    document = load("# T\n\n```python\n# not a heading\nx = 1\n```\n")
    assert document.text == "T\n\n# not a heading\nx = 1"
    assert len(document.sections) == 1


def test_file_of_comments_only_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="no text"):
        load("<!-- nothing -->")


@given(
    st.lists(st.sampled_from(["# A", "## 1.1 B", "text here", "- item", "| a | b |\n|---|---|\n| c | d |", "> quote"]))
)
def test_any_mixture_of_blocks_gives_a_sound_document(blocks: list[str]) -> None:
    assume(blocks)
    document = load("\n\n".join(blocks))
    assert [document.text.count(word) for word in ("text here", "item", "c | d", "quote")] == [
        sum(word in block for block in blocks) for word in ("text here", "item", "c | d", "quote")
    ]


def test_two_tables_stay_two() -> None:
    tables = ("| Room | Wing |\n|---|---|\n| B7 | east |", "| Staff | Head |\n|---|---|\n| 9 | Ek |")
    document = check(load_bytes("a.md", "\n\n".join(tables).encode()))
    assert document.text == "| Room | Wing |\n| B7 | east |\n\n| Staff | Head |\n| 9 | Ek |"
