"""A reply that comes in pieces gives the same sentences as the whole of it, and none of its markup is ever shown."""

from itertools import pairwise

import pytest
from effort import turns_of
from hypothesis import given
from hypothesis import strategies as st

from rag.replies import ReplyReader, ReplySentence, reply_sentences
from replies.kinds import GLOVES, KINDS, PASSAGES

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
