"""Every form in which models write gives the sentences that it holds, and the passages that they cite."""

import pytest

from rag.replies import ReplySentence, reply_sentences
from replies.kinds import GLOVES, KINDS, PASSAGES, Wanted, form


@pytest.mark.parametrize(("reply", "wanted"), KINDS.values(), ids=KINDS)
def test_a_reply_of_this_form_is_read(reply: str, wanted: Wanted) -> None:
    assert form(reply_sentences(reply, PASSAGES)) == wanted


@pytest.mark.parametrize(
    ("marker", "cited"),
    [
        ("[7]", ()),
        ("[1, 7]", (1,)),
        ("[3–5]", (3, 4)),
        ("(Passage 9)", ()),
    ],
)
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
