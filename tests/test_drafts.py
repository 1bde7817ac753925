"""A draft as it is streamed: its sentences as soon as they are whole, and how the stream ended."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.drafts import EndKept, complete_sentences, draft_of
from rag.models import Draft, GeneratorInfo
from rag.protocols import StreamEnd

MODEL = GeneratorInfo(name="ollama", model="m")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Wear gloves. [1] Wash hands [2]. Leave.[1][3] Then go",
            ["Wear gloves. [1]", "Wash hands [2].", "Leave.[1][3]", "Then go"],
        ),
        ("It is 4.5 ml. [1, 2]\n\nDr. Ek agreed. [3]", ["It is 4.5 ml. [1, 2]", "Dr. Ek agreed. [3]"]),
        ("- gloves [1]\n- goggles [2]", ["- gloves [1]", "- goggles [2]"]),
        ("[1] It rained.", ["[1] It rained."]),
        ("Wear gloves. [1 and 2] Wash hands.", ["Wear gloves. [1 and 2]", "Wash hands."]),
        ("[1]", ["[1]"]),
        (" \n", []),
        ("", []),
    ],
)
def test_marker_after_the_full_stop_belongs_to_the_sentence_before_it(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def split(text: str) -> list[str]:
    """The sentences of a whole draft: at its end the rest is one, too."""
    done, rest = complete_sentences(text)
    return [*done, rest.strip()] if rest.strip() else done


def test_sentence_is_complete_when_the_next_has_begun() -> None:
    assert complete_sentences("Wear gloves.") == ([], "Wear gloves.")
    assert complete_sentences("Wear gloves. [") == ([], "Wear gloves. [")
    assert complete_sentences("Wear gloves. [1]") == ([], "Wear gloves. [1]")
    assert complete_sentences("Wear gloves. [1] Wa") == (["Wear gloves. [1]"], "Wa")


@given(
    st.lists(
        st.sampled_from(["Wear gloves. [1]", "Dr. Ek wrote 4.5 ml [2].", "It is so! [1][2]", "Is it?", "Leave now."]),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 9),
)
def test_streamed_pieces_make_the_same_sentences_as_the_whole(sentences: list[str], size: int) -> None:
    text = " ".join(sentences)
    done: list[str] = []
    rest = ""
    for start in range(0, len(text), size):
        complete, rest = complete_sentences(rest + text[start : start + size])
        done += complete
    assert [*done, *split(rest)] == split(text) == sentences


def test_a_draft_has_the_counts_of_its_stream() -> None:
    def stream() -> Iterator[str]:
        yield "Wear gloves"
        yield ". [1]\n"
        return StreamEnd("length", prompt_tokens=40, completion_tokens=2)

    kept = EndKept(stream())
    assert draft_of("".join(kept), MODEL, kept.end) == Draft(
        text="Wear gloves. [1]", generator=MODEL, finish_reason="length", prompt_tokens=40, completion_tokens=2
    )


def test_a_stream_that_does_not_say_how_it_ended_makes_a_draft_without_counts() -> None:
    kept = EndKept(iter(["a", "b"]))
    assert draft_of("".join(kept), MODEL, kept.end) == Draft(text="ab", generator=MODEL)
