"""What may be asked, how a follow-up is read, and what is said of a value that is wrong."""

from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, StrictBool, StrictInt, StrictStr, TypeAdapter, ValidationError, create_model

from rag.errors import ErrorCode, InvalidQuery
from rag.models import Query, Score
from rag.models.complaints import complaint, reason_of
from rag.record import Recorder
from rag.standalone import joined_to_previous
from rag.validate import MAX_LENGTH, clean_question, validate

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


@pytest.mark.parametrize(
    ("previous", "length"),
    [
        *((nothing, None) for nothing in (None, "", "And acids?", " And acids? ")),
        ("Which gloves?", 24),
        ("x" * (MAX_LENGTH - 11), MAX_LENGTH),  # `And acids?` has 10 characters, and a space stands between the two
        ("x" * (MAX_LENGTH - 10), None),
    ],
)
def test_a_question_is_joined_to_another_before_it_unless_both_together_are_too_long(previous, length):
    joined = joined_to_previous(Query(question="And acids?", previous=previous))
    assert (joined and len(joined.question)) == length


def error_of(kind: Any, value: object) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    return dict(caught.value.errors()[0])


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (StrictStr, 5, "x = 5 is not valid: it must be text."),
        (StrictInt, True, "x = true is not valid: it must be a whole number."),
        (StrictBool, "yes", "x = 'yes' is not valid: it must be true or false."),
        (list[int], {}, "x = {} is not valid: it must be a list, in square brackets."),
        (create_model("Some"), [], "x = [] is not valid: it must be an object, in braces."),
        (Annotated[int, Field(ge=1, le=20)], 0, "x = 0 is not valid: it must be at least 1."),
        (Score, float("nan"), "x = nan is not valid: it must be a number from 0 to 1."),
        (Annotated[str, Field(max_length=2)], "abc", "x = 'abc' is not valid: it must have at most 2 characters."),
        (Literal["good", "bad"], "so-so", "x = 'so-so' is not valid: it must be 'good' or 'bad'."),
    ],
)
def test_a_value_is_named_with_what_it_must_be_and_an_error_without_plain_words_keeps_its_own(kind, value, said):
    assert complaint("x", error_of(kind, value)) == said
    assert reason_of(error_of(Annotated[str, Field(pattern="^a$")], "b")) == "String should match pattern '^a$'"
    assert reason_of({"type": "too_short", "msg": "Too short", "ctx": {}}) == "Too short"


@pytest.mark.parametrize("value", ["secret " * 40, ["secret " * 40]])
def test_a_long_value_is_cut_so_that_what_was_typed_stays_out_of_the_log(value: object, tmp_path: Path) -> None:
    refused = InvalidQuery(complaint("context", {"type": "string_type", "msg": "", "input": value}))
    recorder = Recorder(tmp_path)
    recorder.event("api", "request_failed", request_id="r", error=refused)
    recorder.close()
    assert len(refused.message) < 200
    assert "secret" not in recorder.log_path.read_text()
