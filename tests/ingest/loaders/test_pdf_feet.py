"""Heads and feet of PDF pages: running lines of short documents, footnotes below a paragraph that goes on."""

import pytest
from loader_checks import Placed, lines, page_of, read_pdf

FIRST = ("The bridge over the canal was closed in the spring of that year, and", "the ferry was used until the")
SECOND = ("new one was opened by the mayor.", "It carries lorries of up to twelve tonnes.")


@pytest.mark.parametrize(
    "running",
    [
        [(70, 40, "Harbour Office, 5 Quay Road")],
        [(70, 820, "Registered under 4711, page {n} of 2")],
        [(70, 40, "Harbour Office"), (70, 815, "Confidential"), (300, 815, "{n}")],
    ],
)
def test_running_lines_of_two_pages_are_gone(running: list[Placed]) -> None:
    pages = [
        [*lines(*texts), *((x, y, text.format(n=n), 8.0) for x, y, text in running)]
        for n, texts in enumerate((FIRST, SECOND), start=1)
    ]
    assert read_pdf(*pages).text == " ".join([*FIRST, *SECOND])


def test_a_footnote_does_not_cut_the_sentence_that_goes_on_over_the_page_or_in_the_next_column() -> None:
    document = read_pdf([*lines(*FIRST, y=600), (70, 780, "3 Smith gives the year before.", 8.0)], lines(*SECOND))
    assert document.text.startswith("3 Smith gives the year before.\n\nThe bridge over")
    assert "was used until the new one was opened by the mayor." in document.text
    assert [page_of(document, said) for said in ("3 Smith", "The bridge", "new one")] == [1, 1, 2]

    left = [f"The left column has line {word} of its own" for word in ("one", "two", "three", "four", "five")]
    right = ["right of it the line goes on and on", *[line.replace("left", "right") for line in left]]
    columns = read_pdf([*lines(*left, y=600), (70, 690, "* Measured at noon.", 8.0), *lines(*right, x=320, y=600)])
    assert "line five of its own right of it the line goes on" in columns.text
    assert columns.text.startswith("* Measured at noon.")


def three(first: str, last: str, *, size: float = 11.0) -> str:
    """The text of three pages with a first and a last line each, in which {n}, {m} and {k} are numbers."""
    pages = []
    for n, word in enumerate(("apron", "bottle", "cabinet"), start=1):
        numbers = {"n": n, "m": (42, 38, 40)[n - 1], "k": n + 10}
        text = lines(f"The {word} hangs beside the door of the room in which it is", f"worn, and no {word} leaves it.")
        pages.append([(70, 60, first.format(**numbers), size), *text, (70, 790, last.format(**numbers), 11.0)])
    return read_pdf(*pages).text


@pytest.mark.parametrize(
    "line", ["Sample {n}: {m} mg", "Sample {n} holds {m} mg of salt.", "{n} This note says that it costs {m} euros."]
)
def test_lines_at_the_edges_of_pages_that_tell_other_numbers_too_stay(line: str) -> None:
    for text in (three(line, "Page {n}"), three("Harbour Office", line)):
        assert [str(number) in text for number in (42, 38, 40)] == [True, True, True]


@pytest.mark.parametrize(
    "line", ["Page {n} of 3", "Section {m} | {n}", "Manual 7 - {n}", "Chapter 3 Page 3-{k}", "{n}"]
)
def test_lines_at_the_edges_of_pages_that_only_say_where_they_are_are_gone(line: str) -> None:
    for text in (three(line, "Harbour Office"), three("Harbour Office", line)):
        assert not any(map(str.isdigit, text))
        assert "Harbour" not in text


@pytest.mark.parametrize(("line", "size"), [("Page {n}", 14.0), ("Harbour Office 7", 14.0), ("Rules of 24, {n}", 9.0)])
def test_a_large_running_line_and_a_small_one_that_counts_on_are_gone(line: str, size: float) -> None:
    assert not any(map(str.isdigit, three(line, "Harbour Office", size=size)))


def test_a_title_that_counts_on_with_the_pages_stays_and_is_the_heading_of_its_page() -> None:
    pages = [
        [(70, 60, f"Sample {n}", 14.0), *lines(f"It holds {salt} mg of salt and was taken", f"at well {word} in May.")]
        for n, (salt, word) in enumerate(((42, "Ada"), (38, "Bo"), (40, "Cy")), start=1)
    ]
    document = read_pdf(*pages)
    assert [one.path for one in document.sections] == [("Sample 1",), ("Sample 2",), ("Sample 3",)]
    assert [page_of(document, text) for text in ("Sample 1", "Sample 2", "40 mg")] == [1, 2, 3]
