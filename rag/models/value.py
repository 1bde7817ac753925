"""What every entity is made of: a frozen value, and the kinds of fields that several share."""

from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Score = Annotated[float, Field(ge=0.0, le=1.0)]
EstimatorName = Literal["mean_similarity", "max_similarity", "calibrated"]
Outcome = Literal["answered", "unsure", "refused", "talk"]
EditionsSearched = Literal["latest", "all"]


def web_address(value: object) -> object:
    """Return a value where it is an absolute address of the web, else None: a link to it must not run anything.

    >>> web_address("https://lab.example/safety"), web_address("javascript:alert(1)"), web_address("/safety")
    ('https://lab.example/safety', None, None)
    """
    if not isinstance(value, str):
        return value
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # of an IPv6 address that is not closed
        return None
    return value if is_address and value.isprintable() and not any(map(value.count, ' <>"')) else None


WebAddress = Annotated[str | None, BeforeValidator(web_address)]
"""An absolute http or https address; what a document names besides is dropped, and the document kept."""


class Value(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def assembled(cls, **fields: Any) -> Self:
        """Return a value of fields that are known to be right, all of them given in their order; nothing is checked.

        For what is made many times for each question: `model_construct` looks at every field and takes ten times as
        long (20 microseconds for a passage).
        """
        made = cls.__new__(cls)
        for name, value in (
            ("__dict__", fields),
            ("__pydantic_fields_set__", set(fields)),
            ("__pydantic_extra__", None),
            ("__pydantic_private__", None),
        ):
            object.__setattr__(made, name, value)
        return made
