"""The types of request fields that several interfaces share."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema
from pydantic_core import PydanticCustomError
from starlette.requests import Request

from api.problems import INVALID_QUESTION, QUESTION_TOO_SHORT
from rag.errors import ErrorCode, InvalidQuery
from rag.models import MAX_PLACE
from rag.validate import MAX_LENGTH, MIN_LENGTH, clean_question
from rag.workspace.values import is_session_id

MAX_NAME: Final = 1000  # longest name in a filter, in characters: no document, section or module is called longer
CONTROLS: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""Control characters but tab and line breaks, for a pattern's brackets."""
QUESTION_PATTERN: Final = rf"^[^{CONTROLS}]*[^\s{CONTROLS}][^{CONTROLS}]+[^\s{CONTROLS}][^{CONTROLS}]*$"
"""At least 3 characters between the first and the last that is no space, none of them a control character."""
UUID4_PATTERN: Final = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"


class Contract(BaseModel):
    """A part of an interface: frozen, and a field that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def taking(cls, value: object, **others: Any) -> Self:
        """Return one that has what a canonical value has under the same names, and the others as they are given."""
        names = [name for name in cls.model_fields if name not in others and hasattr(value, name)]
        return cls(**{name: getattr(value, name) for name in names}, **others)


def known_parameters(request: Request) -> None:
    """Refuse a parameter in the address that the operation does not have: ignored, it would mislead."""
    known = [field.alias for field in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            said = f"{name} is not a parameter of this request; leave it out or check its spelling. It takes "
            raise InvalidQuery(f"{said}{', '.join(known) or 'none'}.", details={"field": name})


def _question(text: str) -> str:
    try:
        clean_question(text)
    except InvalidQuery as error:
        kind = QUESTION_TOO_SHORT if error.error_code is ErrorCode.QUERY_TOO_SHORT else INVALID_QUESTION
        raise PydanticCustomError(kind, "{reason}", {"reason": error.message}) from error
    return text


def _whole(value: object) -> object:
    """Return a whole number that was written with a point, as 5.0, as the integer that JSON Schema takes it for."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _iso_8601(value: object) -> datetime:
    if not isinstance(value, str) or "T" not in value:
        raise ValueError("write it as text in ISO 8601, as 2026-01-21T14:32:15Z")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise ValueError("write it in ISO 8601, as 2026-01-21T14:32:15Z") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def uuid4_text(value: str) -> str:
    """Check that a text is a UUID v4 in its usual form, and return it as it was given."""
    if not is_session_id(value):
        raise ValueError("it must be a UUID v4, as 3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e")
    return value


QuestionText = Annotated[
    str,
    Strict(),
    AfterValidator(_question),
    WithJsonSchema({"type": "string", "minLength": MIN_LENGTH, "maxLength": MAX_LENGTH, "pattern": QUESTION_PATTERN}),
]
"""A question: 3 to 1000 characters after stripping, no control characters; returned as it was given."""

Moment = Annotated[datetime, BeforeValidator(_iso_8601)]  # A date and time in ISO 8601

Uuid4Text = Annotated[
    str,
    Strict(),
    AfterValidator(uuid4_text),
    WithJsonSchema({"type": "string", "format": "uuid", "pattern": UUID4_PATTERN}),
]
"""A UUID v4, kept as it was written."""

StrictInt = Annotated[int, Strict()]
Whole: Final = BeforeValidator(_whole)
"""Beside a `StrictInt`, after its limits: 5.0 is 5, as JSON Schema says; text, true and 5.5 are still refused."""
UpTo10 = Annotated[StrictInt, Field(ge=1, le=10), Whole]
UpTo20 = Annotated[StrictInt, Field(ge=1, le=20), Whole]
UpTo2000 = Annotated[StrictInt, Field(ge=1, le=2000), Whole]
Chapter = Annotated[StrictInt, Field(ge=-MAX_PLACE, le=MAX_PLACE), Whole]
Page = Annotated[StrictInt, Field(ge=1, le=MAX_PLACE), Whole]
Seed = Annotated[StrictInt, Field(ge=0, le=2**31 - 1), Whole]
StrictBool = Annotated[bool, Strict()]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
GivenFraction = Annotated[float, Strict(), Field(ge=0.0, le=1.0)]
Filled = Annotated[str, Field(min_length=1)]
