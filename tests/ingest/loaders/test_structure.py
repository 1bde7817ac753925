"""Headings to chapters and sections."""

import pytest

from rag.ingest.loaders import load_bytes

PLACES = {
    "a section stays the numbered one below deeper headings": (
        "# Chapter 2: Hoods\n## 2.2 Working\n### Before",
        [(2, "Hoods", None), (2, "Hoods", "2.2 Working"), (2, "Hoods", "2.2 Working")],
    ),
    "a chapter's number comes from its sections where its title has none": (
        "# Evolution\n## 19.1 Drift\n## Summary",
        [(19, "Evolution", None), (19, "Evolution", "19.1 Drift"), (19, "Evolution", "Summary")],
    ),
    "single numbers below a title are chapters": (
        "# Guide\n## 1 Intro\n### 1.1 Aims\n## 2 Method",
        [(None, None, None), (1, "Intro", None), (1, "Intro", "1.1 Aims"), (2, "Method", None)],
    ),
    "single numbers below named chapters are sections": (
        "# Chapter 4\n## 1 Aims\n## 2 Method",
        [(4, "Chapter 4", None), (4, "Chapter 4", "1 Aims"), (4, "Chapter 4", "2 Method")],
    ),
    "a number that nothing bears out is a word": ("# 7 habits\n## Calm", [(None, None, None), (None, None, "Calm")]),
    "a year is no chapter": ("# 1973 oil crisis", [(None, None, None)]),
    "several unnumbered top headings are chapters without number": (
        "# Soil\n## Clay\n# Water",
        [(None, "Soil", None), (None, "Soil", "Clay"), (None, "Water", None)],
    ),
    "the file's own chapter holds where headings give none": (
        "---\nchapter: 8\n---\nText.\n# Soil\n## Clay",
        [(8, None, None), (8, None, None), (8, None, "Clay")],
    ),
}


@pytest.mark.parametrize(("text", "places"), PLACES.values(), ids=PLACES)
def test_headings_give_chapters_and_sections_and_text_before_the_first_is_a_section(text, places) -> None:
    found = load_bytes("a.md", text.encode()).sections
    assert [(one.chapter, one.chapter_title, one.section) for one in found] == places
