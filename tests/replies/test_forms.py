"""Every form in which models write gives its sentences and citations, whole or in pieces; no markup is shown."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from effort import turns_of
from hypothesis import given
from hypothesis import strategies as st
from passages import hit

from rag.models import DocumentMetadata
from rag.replies import ReplyReader, ReplySentence, reply_sentences

PASSAGES = [
    hit("Laminate gloves are required.", page=4, document="safety_manual.pdf"),
    hit("Goggles are worn.", rank=2, document="faq (new).html"),
    hit("Hoods are tested.", rank=3, page=5, document="safety_manual.pdf"),
    hit("Bring a badge.", rank=4, document="entry.docx").model_copy(
        update={"metadata": DocumentMetadata(title="Entry rules")}
    ),
]
GLOVES = "Laminate gloves are required"
Wanted = list[tuple[str, tuple[int, ...]]]


def _kinds() -> dict[str, tuple[str, Wanted]]:
    """Return each form by its name: the reply, and what is read of it."""
    lines = Path(__file__).with_name("kinds.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["kind"]: (row["reply"], [(text, tuple(cited)) for text, cited in row["sentences"]]) for row in rows}


KINDS = _kinds()


def form(sentences: list[ReplySentence]) -> Wanted:
    """What is shown of each sentence, and what it cites."""
    return [(one.shown, one.cited) for one in sentences]


@pytest.mark.parametrize(("reply", "wanted"), KINDS.values(), ids=KINDS)
def test_a_reply_of_this_form_is_read(reply: str, wanted: Wanted) -> None:
    assert form(reply_sentences(reply, PASSAGES)) == wanted


@pytest.mark.parametrize(("marker", "cited"), [("[7]", ()), ("[1, 7]", (1,)), ("[3–5]", (3, 4)), ("(Passage 9)", ())])
def test_numbers_beyond_the_passages_are_told_as_written(marker: str, cited: tuple[int, ...]) -> None:
    assert reply_sentences(f"{GLOVES} {marker}.", PASSAGES) == [ReplySentence(f"{GLOVES}.", cited, (marker,))]


def test_what_ends_with_a_colon_leads_the_next_sentence_or_the_items_of_its_list() -> None:
    text = "Closed on:\n\n- Mondays. It is cleaned.\n- holidays\n\nOpen else. Prices:\n| Child | 2 euros |\nPay there."
    assert [(one.text, one.lead) for one in reply_sentences(text, PASSAGES)] == [
        ("Closed on:", ""),
        ("Mondays.", "Closed on:"),
        ("It is cleaned.", "Closed on:"),
        ("holidays", "Closed on:"),
        ("Open else.", ""),
        ("Prices:", ""),
        ("Child; 2 euros", "Prices:"),
        ("Pay there.", ""),
    ]


@pytest.mark.parametrize(
    ("reply", "whole"),
    [
        ("- gloves\n- goggles", [True, False]),
        ("Wear gloves. [1] Wash ha", [True, False]),
        *((f"Wear gloves. {torn}", [True]) for torn in ("[", "[1", "[[1", "[Source: safety", "(1", "【1†sou", "[1][")),
    ],
)
def test_a_sentence_is_whole_where_it_ends_or_something_follows_but_a_citation_that_was_cut_off(reply, whole):
    found = reply_sentences(reply, PASSAGES)
    assert [one.is_whole for one in found] == whole
    assert "[" not in found[0].text


WITHDRAWN = "think that was begun by the template", "channels without their signs"
"""Kinds whose thoughts are known as such only at their end."""
STREAMED = [reply for kind, (reply, _) in KINDS.items() if not kind.endswith(WITHDRAWN)]
ENDS = (" ", "\n", "\n\n", "", ". ")


def streamed(text: str, cuts: list[int]) -> list[ReplySentence]:
    """The sentences of a text that comes in pieces."""
    reader, found = ReplyReader(PASSAGES), []
    for start, end in pairwise(sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})):
        found += reader.feed(text[start:end])
    return found + reader.end()


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("reply", STREAMED)
def test_pieces_of_one_length_make_the_same_sentences_as_the_whole(reply: str, size: int) -> None:
    assert streamed(reply, list(range(0, len(reply), size))) == reply_sentences(reply, PASSAGES)


@given(
    st.lists(st.tuples(st.sampled_from(STREAMED), st.sampled_from(ENDS)), min_size=1, max_size=5),
    st.lists(st.integers(0, 2_000), max_size=60),
)
def test_replies_one_after_another_in_any_pieces_make_the_same_sentences(parts, cuts):
    text = "".join(f"{reply}{end}" for reply, end in parts)
    assert streamed(text, cuts) == reply_sentences(text, PASSAGES)


@given(st.text(alphabet='[]()<>|/#*_`1¹²,【】†^: \n.aA-"', max_size=120), st.lists(st.integers(0, 200), max_size=30))
def test_signs_in_any_order_and_pieces_make_the_same_sentences(text: str, cuts: list[int]) -> None:
    assert streamed(text, cuts) == reply_sentences(text, PASSAGES)


def test_a_sentence_is_given_while_the_next_is_still_written() -> None:
    reader = ReplyReader(PASSAGES)
    assert reader.feed(f"{GLOVES}. [1] They are worn at all times by everybody who works ") == []
    assert reader.feed("with dichloromethane or stands beside those who do") == [ReplySentence(f"{GLOVES}.", (1,))]


def test_thoughts_that_are_known_at_their_end_alone_are_no_part_of_what_follows() -> None:
    reader = ReplyReader(PASSAGES)
    early = reader.feed("The user asks about gloves. " + "I look at passage 1 and find that laminate is meant, so " * 3)
    assert [one.text for one in early] == ["The user asks about gloves."]
    assert [*reader.feed(f"</think>\n{GLOVES} [1]."), *reader.end()] == [ReplySentence(f"{GLOVES}.", (1,))]


@pytest.mark.parametrize("unit", ["[1] ", "(a ", "<think>", "</think>", "| a |\n", "- a\n", "Aa. [1] "])
def test_twice_the_reply_takes_about_twice_as_long(unit: str) -> None:
    def read(times: int) -> None:
        reader = ReplyReader(PASSAGES)
        for _ in range(times):
            reader.feed(unit)
        reader.end()

    short = turns_of(lambda: read(1_000))
    assert turns_of(lambda: read(4_000)) < 8 * max(short, 1)
