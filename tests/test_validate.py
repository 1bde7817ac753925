from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ErrorCode, InvalidQuery
from rag.validate import clean_question, validate

SELECTED = {"mode": "selected-text-only"}


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("  What is\nfirn,\tand\rwhy? \n", "What is firn, and why?"),
        ("What \u00a0 is \r\n\t firn" + " " * 900 + "and\u2003\u2028why?", "What is firn and why?"),
        ("x" * 500 + " " * 600 + "y" * 499, "x" * 500 + " " + "y" * 499),  # spaces that are collapsed do not count
        ("  " + "x" * 1000 + "  ", "x" * 1000),
        ("什么是冰川?", "什么是冰川?"),
    ],
)
def test_white_space_is_stripped_and_a_stretch_of_it_becomes_one_space(given, asked):
    assert validate(given).question == asked


@pytest.mark.parametrize(("question", "shortest"), [("", 3), (" ab ", 3), ("\n\t\n\t", 3), ("h", 2)])
def test_a_question_of_fewer_than_three_characters_is_too_short(question, shortest):
    with pytest.raises(InvalidQuery) as caught:
        validate(question, shortest=shortest)

    assert caught.value.error_code is ErrorCode.QUERY_TOO_SHORT
    assert caught.value.details == {"length": len(question.strip()), "minimum": 3}
    assert validate(" hi ", shortest=2).question == "hi"  # asked of who answers "hi"


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\ud800"])
def test_a_control_character_is_refused_with_its_place(character):
    with pytest.raises(InvalidQuery) as caught:
        validate(f"What {character} is firn?")

    assert caught.value.error_code is ErrorCode.INVALID_INPUT
    assert caught.value.details == {"position": 5, "character": f"U+{ord(character):04X}"}


@given(st.text(max_size=1100))
def test_whatever_is_asked_ends_in_a_clean_question_or_an_invalid_query(text):
    try:
        question = clean_question(text)
    except InvalidQuery:
        return
    assert 3 <= len(question) <= 1000
    assert question == " ".join(question.split())
    question.encode()


def test_the_date_in_a_request_id_is_that_of_utc():
    asked = {"query_id": UUID("12345678-9abc-4def-8123-456789abcdef"), "timestamp": "2026-01-21T23:30:00-05:00"}
    assert validate("What is firn?", **asked).request_id == "req_20260122_123456789abc"


@pytest.mark.parametrize(
    ("question", "options", "told"),
    [
        (None, {}, "must be text, not NoneType"),
        (b"What is firn?", {}, "must be text"),
        ("x" * 1001, {}, "1001 characters; shorten it to at most 1000"),
        ("Why?", {"mode": "chapter-aware"}, "needs the chapter"),
        ("Why?", SELECTED, "needs the selected text"),
        ("Why?", {**SELECTED, "context": " \n "}, "needs the selected text"),
        ("Why?", {**SELECTED, "context": "x" * 200_001}, "200001 characters"),
        ("Why?", {"topk": 5}, r"^topk is not an option of a question\. Options: as_asked, .*unsure_threshold\.$"),
        ("Why?", {"filters": {"page_no": 3}}, r"^filters\.page_no is not an option of a question\. Options: .*page, "),
        ("Why?", {"temperature": float("nan")}, "it must be a number from 0 to 1"),
        ("Why?", {**SELECTED, "context": "half \ud800"}, "context holds .*lone surrogate"),
        ("Why?", {"filters": {"source": "\udfff"}}, "filters.source holds .*lone surrogate"),
        ("Why?", {"session_id": "\ud800"}, "lone surrogate"),
        ("Why?", {"previous": "\ud800"}, "lone surrogate"),
    ],
)
def test_what_is_missing_too_much_or_no_option_is_told(question, options, told):
    with pytest.raises(InvalidQuery, match=told):
        validate(question, **options)
