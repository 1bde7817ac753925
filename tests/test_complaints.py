"""What is wrong with a value, as messages say it: against pydantic's own errors."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, StrictBool, StrictInt, StrictStr, TypeAdapter, ValidationError, create_model

from rag.errors import InvalidQuery
from rag.models import Score
from rag.models.complaints import complaint, reason_of
from rag.record import Recorder


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def error_of(kind: Any, value: object) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    return dict(caught.value.errors()[0])


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (StrictStr, 5, "x = 5 is not valid: it must be text."),
        (StrictInt, True, "x = true is not valid: it must be a whole number."),
        (int, "many", "x = 'many' is not valid: it must be a whole number."),
        (StrictBool, "yes", "x = 'yes' is not valid: it must be true or false."),
        (list[int], {}, "x = {} is not valid: it must be a list, in square brackets."),
        (create_model("Some"), [], "x = [] is not valid: it must be an object, in braces."),
        (Annotated[int, Field(ge=1, le=20)], 0, "x = 0 is not valid: it must be at least 1."),
        (Score, float("nan"), "x = nan is not valid: it must be a number from 0 to 1."),
        (Annotated[str, Field(max_length=2)], "abc", "x = 'abc' is not valid: it must have at most 2 characters."),
        (Literal["good", "bad"], "so-so", "x = 'so-so' is not valid: it must be 'good' or 'bad'."),
        (Colour, "green", "x = 'green' is not valid: it must be 'red' or 'blue'."),
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
