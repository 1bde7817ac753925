from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ErrorCode, InvalidQuery
from rag.models import Filters, Mode, Query
from rag.settings import Settings
from rag.validate import MAX_CONTEXT_LENGTH, clean_question, validate


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("  What is\nfirn,\tand\rwhy? \n", "What is firn, and why?"),
        ("What \u00a0 is \r\n\t firn" + " " * 900 + "and\u2003\u2028why?", "What is firn and why?"),
        ("x" * 500 + " " * 600 + "y" * 499, "x" * 500 + " " + "y" * 499),  # spaces that are collapsed do not count
        ("abc", "abc"),
    ],
)
def test_white_space_is_stripped_and_a_stretch_of_it_becomes_one_space(given, asked):
    assert validate(given).question == asked


def test_who_answers_hi_lets_two_characters_in_and_one_is_still_too_short():
    assert validate(" hi ", shortest=2).question == "hi"

    with pytest.raises(InvalidQuery, match="has 1 character; ask with at least 3") as caught:
        validate("h", shortest=2)
    assert caught.value.details == {"length": 1, "minimum": 3}


@pytest.mark.parametrize("question", ["", "   ", "ab", " ab ", "\n\t\n\t"])
def test_a_question_of_fewer_than_three_characters_is_too_short(question):
    with pytest.raises(InvalidQuery) as caught:
        validate(question)

    assert caught.value.error_code is ErrorCode.QUERY_TOO_SHORT
    assert caught.value.details == {"length": len(question.strip()), "minimum": 3}


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


@pytest.mark.parametrize(
    "question", ["Was ist Gletschereis?", "什么是冰川?", "ما هو النهر الجليدي؟", "Qu’est-ce que 🧊?"]
)
def test_any_script_is_welcome(question):
    assert validate(question).question == question


@given(st.text(max_size=1100))
def test_whatever_is_asked_ends_in_a_clean_question_or_an_invalid_query(text):
    try:
        question = clean_question(text)
    except InvalidQuery:
        return
    assert 3 <= len(question) <= 1000
    assert question == " ".join(question.split())
    question.encode()


@pytest.mark.parametrize("question", [None, 12, b"What is firn?", ["What is firn?"]])
def test_what_is_not_text_is_refused(question):
    with pytest.raises(InvalidQuery, match="must be text"):
        validate(question)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("top_k", 0),
        ("top_k", 21),
        ("top_k", "many"),
        ("top_k", 2.5),
        ("similarity_threshold", -0.1),
        ("similarity_threshold", 1.1),
        ("similarity_threshold", float("nan")),
        ("confidence_threshold", 2),
        ("estimator", "psychic"),
        ("mode", "page-wide"),
        ("max_tokens", 0),
        ("max_tokens", 2001),
        ("temperature", 1.5),
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


@pytest.mark.parametrize("option", ["similarity_threshold", "confidence_threshold", "temperature"])
def test_what_is_no_number_is_told_both_limits(option):
    with pytest.raises(InvalidQuery, match=f"{option} = nan is not valid: it must be a number from 0 to 1"):
        validate("What is firn?", **{option: float("nan")})


@pytest.mark.parametrize("known", [Query, Settings])
def test_every_number_with_a_limit_above_begins_at_0(known):
    """A value that is no number is told so."""
    for name, field in known.model_fields.items():
        kinds = ("ge", "gt", "le")
        limits = {kind: getattr(each, kind) for each in field.metadata for kind in kinds if hasattr(each, kind)}
        if "float" in str(field.annotation) and "le" in limits:
            assert limits.get("ge", limits.get("gt")) == 0, name


def test_options_at_their_limits_are_taken():
    query = validate("What is firn?", top_k=20, similarity_threshold=1, confidence_threshold=0, max_tokens=2000)

    assert (query.top_k, query.similarity_threshold, query.confidence_threshold, query.max_tokens) == (20, 1, 0, 2000)
    assert validate("What is firn?", top_k=1).top_k == 1


def test_an_option_that_is_none_takes_its_default():
    query = validate("What is firn?", top_k=None, mode=None, filters=None, session_id=None)

    assert (query.top_k, query.mode, query.filters) == (5, Mode.BOOK_WIDE, Filters())


def test_the_date_in_a_request_id_is_that_of_utc():
    query = validate(
        "What is firn?", query_id=UUID("12345678-9abc-4def-8123-456789abcdef"), timestamp="2026-01-21T23:30:00-05:00"
    )

    assert query.request_id == "req_20260122_123456789abc"


def test_a_clients_request_id_is_kept():
    assert validate("What is firn?", request_id="mine-7").request_id == "mine-7"


def test_chapter_aware_needs_a_chapter():
    with pytest.raises(InvalidQuery, match="needs the chapter"):
        validate("What is firn?", mode="chapter-aware")


@pytest.mark.parametrize("context", [None, "", "  \n "])
def test_selected_text_only_needs_the_text(context):
    with pytest.raises(InvalidQuery, match="needs the selected text"):
        validate("What is firn?", mode="selected-text-only", context=context)


def test_a_selected_text_may_be_200_000_characters_long_and_no_longer():
    longest = validate("What is firn?", mode="selected-text-only", context="x" * MAX_CONTEXT_LENGTH)
    assert len(longest.context or "") == 200_000

    with pytest.raises(InvalidQuery, match="200001 characters"):
        validate("What is firn?", mode="selected-text-only", context="x" * 200_001)


def test_a_context_that_the_mode_does_not_use_is_left_out():
    assert validate("What is firn?", context="Firn is old snow.").context is None


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"topk": 5},
            r"^topk is no option of a question\. There are: as_asked, confid.*unsure_threshold\.$",
        ),
        (
            {"filters": {"page_no": 3}},
            r"^filters\.page_no is no option of a question\. There are: .*page, .*sources\.$",
        ),
    ],
)
def test_an_option_that_is_none_is_told_with_those_that_there_are(options, message) -> None:
    with pytest.raises(InvalidQuery, match=message):
        validate("What is firn?", **options)
