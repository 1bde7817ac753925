from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ErrorCode, InvalidQuery
from rag.validate import MAX_CONTEXT_LENGTH, clean_question, validate


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("  What is\nfirn,\tand\rwhy? \n", "What is firn, and why?"),
        ("What \u00a0 is \r\n\t firn" + " " * 900 + "and\u2003\u2028why?", "What is firn and why?"),
        ("x" * 500 + " " * 600 + "y" * 499, "x" * 500 + " " + "y" * 499),  # spaces that are collapsed do not count
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


def test_1001_characters_are_too_many_but_white_space_around_them_does_not_count():
    with pytest.raises(InvalidQuery, match="1001 characters; shorten it to at most 1000") as caught:
        validate("x" * 1001)

    assert caught.value.error_code is ErrorCode.INVALID_INPUT
    assert len(validate("  " + "x" * 1000 + "  ").question) == 1000


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\ud800"])
def test_a_control_character_is_refused_with_its_place(character):
    with pytest.raises(InvalidQuery) as caught:
        validate(f"What {character} is firn?")

    assert caught.value.error_code is ErrorCode.INVALID_INPUT
    assert caught.value.details == {"position": 5, "character": f"U+{ord(character):04X}"}


@pytest.mark.parametrize("question", [None, 12, b"What is firn?"])
def test_what_is_not_text_is_refused(question):
    with pytest.raises(InvalidQuery, match="must be text"):
        validate(question)


@given(st.text(max_size=1100))
def test_whatever_is_asked_ends_in_a_clean_question_or_an_invalid_query(text):
    try:
        question = clean_question(text)
    except InvalidQuery:
        return
    assert 3 <= len(question) <= 1000
    assert question == " ".join(question.split())
    question.encode()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("top_k", 0),
        ("top_k", 21),
        ("similarity_threshold", -0.1),
        ("similarity_threshold", float("nan")),
        ("confidence_threshold", 2),
        ("estimator", "psychic"),
        ("mode", "page-wide"),
        ("max_tokens", 2001),
        ("filters", {"page": 0}),
        ("filters", {"colour": "blue"}),
        ("no_such_option", 1),
    ],
)
def test_an_option_outside_its_limits_is_refused_by_name(option, value):
    with pytest.raises(InvalidQuery) as caught:
        validate("What is firn?", **{option: value})

    assert caught.value.error_code is ErrorCode.INVALID_INPUT
    assert str(caught.value.details["field"]).split(".")[0] == option
    assert caught.value.message.startswith(option)


def test_options_at_their_limits_are_taken_and_any_script_is_welcome():
    for limits in ({"top_k": 20, "max_tokens": 2000, "similarity_threshold": 1}, {"top_k": 1, "max_tokens": 1}):
        query = validate("什么是冰川?", **limits)
        assert {name: getattr(query, name) for name in limits} == limits
    assert query.question == "什么是冰川?"


def test_the_date_in_a_request_id_is_that_of_utc_and_a_clients_own_id_is_kept():
    query = validate(
        "What is firn?", query_id=UUID("12345678-9abc-4def-8123-456789abcdef"), timestamp="2026-01-21T23:30:00-05:00"
    )

    assert query.request_id == "req_20260122_123456789abc"
    assert validate("What is firn?", request_id="mine-7").request_id == "mine-7"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"mode": "chapter-aware"}, "needs the chapter"),
        ({"mode": "selected-text-only"}, "needs the selected text"),
        ({"mode": "selected-text-only", "context": " \n "}, "needs the selected text"),
        ({"topk": 5}, r"^topk is not an option of a question\. Options: as_asked, confid.*unsure_threshold\.$"),
        ({"filters": {"page_no": 3}}, r"^filters\.page_no is not an option of a question\. Options: .*page, .*sources"),
        ({"temperature": float("nan")}, "it must be a number from 0 to 1"),
    ],
)
def test_what_is_missing_or_no_option_is_told_with_what_there_is(options, told):
    with pytest.raises(InvalidQuery, match=told):
        validate("What is firn?", **options)


def test_a_selected_text_may_be_200_000_characters_long_and_no_longer():
    longest = validate("What is firn?", mode="selected-text-only", context="x" * MAX_CONTEXT_LENGTH)
    assert len(longest.context or "") == 200_000

    with pytest.raises(InvalidQuery, match="200001 characters"):
        validate("What is firn?", mode="selected-text-only", context="x" * 200_001)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "selected-text-only", "context": "half \ud800"},
        {"filters": {"source": "\udfff"}},
        {"session_id": "\ud800"},
    ],
)
def test_half_a_character_in_an_option_is_refused(options):
    with pytest.raises(InvalidQuery, match="lone surrogate"):
        validate("What is firn?", **options)
