"""Web pages whose elements stand deep within each other."""

import pytest

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes


def nested(count: int, begin: str = "<div>", end: str = "</div>") -> bytes:
    return (begin * count + "Some words." + end * count).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidDocument) as caught:
        load_bytes("a.html", data)
    return caught.value.message


@pytest.mark.parametrize("count", [500, 100_000])
def test_elements_nested_too_deeply_are_refused_in_plain_words(count: int) -> None:
    message = refusal(nested(count))
    assert message.startswith("'a.html' was not ingested: it is nested too deeply")
    assert message.endswith("Copy its text into a plain text file (.txt) or a new document, and ingest that.")
    assert "Recursion" not in message


def test_ends_that_end_nothing_do_not_hide_the_depth() -> None:
    assert "more than 2,000 elements within each other" in refusal(nested(30_000, "<div></x>"))


def test_tables_within_tables_count() -> None:
    assert "more than 2,000" in refusal(nested(30_000, "<table><tr><td>", "</td></tr></table>"))


@pytest.mark.parametrize(
    "piece",
    ["<p>One.", "<li>One.", "One.<br>", "<div><span>One.</div>", "<tr><td><p>One.", "<img src=a><p>One.</p>"],
)
def test_many_elements_after_each_other_are_not_deep(piece: str) -> None:
    assert "One." in load_bytes("a.html", (piece * 25_000).encode()).text


def test_a_drawing_of_many_shapes_is_not_deep() -> None:
    page = "<p>Words.</p><svg>" + '<path d="M0 0"/>' * 25_000 + "</svg>"
    assert load_bytes("a.html", page.encode()).text == "Words."


def test_a_hundred_elements_within_each_other_are_read() -> None:
    assert load_bytes("a.html", nested(100)).text == "Some words."
