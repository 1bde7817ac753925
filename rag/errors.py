"""Everything Candor can raise on purpose.

    CandorError
      InvalidQuery             the person can fix it: INVALID_INPUT, QUERY_TOO_SHORT
      InvalidDocument          one file cannot be ingested; the others are: INVALID_INPUT
      ConfigurationError       the operator can fix it; raised at start-up: INVALID_INPUT
        FolderUnwritable       the data folder cannot be written: SERVICE_UNAVAILABLE
      IndexNotReady            nothing ingested, another embedding model, index open in another process: VECTOR_DB_ERROR
      RateLimitExceeded        too many requests from one client: RATE_LIMIT_EXCEEDED
      ServiceUnavailable       something we depend on does not answer: SERVICE_UNAVAILABLE
        StoreUnavailable       the vector store: VECTOR_DB_ERROR
        GeneratorUnavailable   the model server: LLM_ERROR
        EmbedderUnavailable    the embedding model: SERVICE_UNAVAILABLE

An expected outcome (a refusal, a citation that does not hold) is a value of `rag.models`, never one of these.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar


class ErrorCode(StrEnum):
    """The predefined codes that every interface reports."""

    QUERY_TOO_SHORT = "QUERY_TOO_SHORT"
    NO_RELEVANT_CONTENT = "NO_RELEVANT_CONTENT"
    LLM_ERROR = "LLM_ERROR"
    VECTOR_DB_ERROR = "VECTOR_DB_ERROR"
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"
    INVALID_INPUT = "INVALID_INPUT"
    RATE_LIMIT_EXCEEDED = "RATE_LIMIT_EXCEEDED"


class CandorError(Exception):
    """The root of all errors that Candor raises on purpose.

    Args:
        message: What happened, with the offending value, and what to do next.
        code: Overrides the class's own error code.
        details: Machine-readable facts for the error response and the log.
    """

    code: ClassVar[ErrorCode] = ErrorCode.SERVICE_UNAVAILABLE
    exit_code: ClassVar[int] = 2

    def __init__(
        self, message: str, *, code: ErrorCode | None = None, details: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = code or self.code
        self.details: dict[str, object] = dict(details or {})


class InvalidQuery(CandorError):
    """A question or one of its options is outside its limits; the person can fix it."""

    code = ErrorCode.INVALID_INPUT
    exit_code = 1


class InvalidDocument(CandorError):
    """A file is encrypted, broken, empty, scanned without text or of an unknown type."""

    code = ErrorCode.INVALID_INPUT
    exit_code = 1


class ConfigurationError(CandorError):
    """A setting or an installed file is wrong; the operator can fix it. Raised at start-up."""

    code = ErrorCode.INVALID_INPUT
    exit_code = 1


class FolderUnwritable(ConfigurationError):
    """The data folder, or what Candor keeps in it, cannot be written: permissions, a read-only mount, not a folder."""

    code = ErrorCode.SERVICE_UNAVAILABLE


class IndexNotReady(CandorError):
    """Nothing is ingested, the index was built with another model, or another process has it open."""

    code = ErrorCode.VECTOR_DB_ERROR
    exit_code = 1


class RateLimitExceeded(CandorError):
    """A client asked more often than `CANDOR_RATE_LIMIT_PER_MINUTE` allows."""

    code = ErrorCode.RATE_LIMIT_EXCEEDED
    exit_code = 1


class ServiceUnavailable(CandorError):
    """Something that Candor depends on does not answer."""


class StoreUnavailable(ServiceUnavailable):
    """The vector store did not answer, or answered with an error."""

    code = ErrorCode.VECTOR_DB_ERROR


class GeneratorUnavailable(ServiceUnavailable):
    """The model server did not answer, or answered with an error."""

    code = ErrorCode.LLM_ERROR


class EmbedderUnavailable(ServiceUnavailable):
    """The embedding model cannot be loaded or run."""
