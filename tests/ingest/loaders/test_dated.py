"""Lines that date what stands below them are headings, by their form alone, in every format."""

import pytest

from rag.ingest.loaders import load_bytes


def headings(name: str, text: str) -> list[str]:
    document = load_bytes(name, text.encode())
    return [document.text[one.start : one.end] for one in document.blocks if one.kind == "heading"]


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("2.4.1 - 2025-03-02", "2.4.0 - 2024-11-20"),
        ("[2.4.1]", "[2.4.0]"),
        ("v1.10 (May 2025)", "v1.9 (March 2025)"),
        ("Minutes of 3 March 2025", "Minutes of 6 January 2025"),
        ("42nd meeting, Monday, 3 March 2025", "41st meeting, Thursday, 6 February 2025"),
        ("March 2025:", "February 2025:"),
        ("Prices 2025", "Prices 2024"),
        ("Season 2024/25", "Season 2023/24"),
        ("Q2 2025", "Q1 2025"),
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_dated_line_that_recurs_with_other_dates_is_a_heading_of_a_text_file(
    newer: str, older: str, gap: str
) -> None:
    text = f"{newer}{gap}The limit is 40 MB.\n\n{older}{gap}The limit is 25 MB.\n"
    assert headings("a.txt", text) == [newer.rstrip(":"), older.rstrip(":")]


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.md", "**{}**\n\n{}\n\n"), ("a.html", "<p><b>{}</b></p><p>{}</p>"), ("a.rst", "**{}**\n\n{}\n\n")],
)
def test_so_is_one_that_an_author_only_set_in_bold(name: str, form: str) -> None:
    text = form.format("3 March 2025", "The fee is 9 euros.") + form.format("5 May 2025", "The fee is 11 euros.")
    assert headings(name, text)[-2:] == ["3 March 2025", "5 May 2025"]


@pytest.mark.parametrize(
    "text",
    [
        "3 March 2025\n\nDear Ms Falk,\n\nthe lift is mended.",  # once
        "3 March 2025\n\n4 April 2025\n\n5 May 2025\n\nThese are the days.",  # above no other text
        "The hall opened on 3 March 2025.\n\nIt closed on 5 May 2025.\n\nIt was cold.",  # sentences
        "Rehearsal on 3 March 2025\n\nBring water.\n\nConcert on 5 May 2025\n\nBring flowers.",  # of different things
    ],
)
def test_other_lines_with_dates_are_text(text: str) -> None:
    assert headings("a.txt", text) == []


def test_dates_below_the_titles_of_posts_are_text() -> None:
    posts = [
        f"## Post {letter}\n\n{day} March 2025\n\nText of post {letter}.\n\n" for day, letter in enumerate("abc", 1)
    ]
    assert headings("a.md", "# Blog\n\n" + "".join(posts)) == ["Blog", "Post a", "Post b", "Post c"]


def test_headings_that_recur_stand_below_the_versions_and_the_first_line_is_the_title() -> None:
    text = "Tidepool news\n\n" + "".join(
        f"{one}\n\nFixed\n-----\n\nThe limit is {one[-1]} MB.\n\n" for one in ("2.4.2", "2.4.1")
    )
    document = load_bytes("a.txt", text.encode())
    assert [one.path for one in document.sections][-1] == ("Tidepool news", "2.4.1", "Fixed")
    assert document.metadata.title == "Tidepool news"


def test_a_day_and_month_are_no_chapter_number() -> None:
    text = "\n\n".join(f"{day} {month} 2025\n\nThe fee is {day} euros." for day, month in ((11, "May"), (12, "June")))
    assert {one.chapter for one in load_bytes("a.txt", text.encode()).sections} == {None}
