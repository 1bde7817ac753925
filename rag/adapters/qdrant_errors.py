"""Failures of a Qdrant client in words: what happened and what to do.

Over HTTP the client raises its own `ApiException` and `QdrantException`, and for answers that are not Qdrant's plain
`ValueError` and `AssertionError`; in memory it raises `ValueError` and `RuntimeError`.
"""

from urllib.parse import urlsplit, urlunsplit

import httpx
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from rag.errors import ConfigurationError

NOT_FOUND = 404
_EXAMPLE = "Write it as http://127.0.0.1:6333."


def what_happened(error: Exception, collection: str, timeout_s: float) -> str:
    """Return the rest of a sentence that begins `Qdrant at ...`: what it did and what to do next."""
    if isinstance(error, UnexpectedResponse):
        return _answered(error, collection)
    if isinstance(error, ResourceExhaustedResponse):
        return f"answered 429: too many requests. Try again in {error.retry_after_s} s."
    source = error.source if isinstance(error, ResponseHandlingException) else error
    if isinstance(source, httpx.TimeoutException):
        return (
            f"did not answer within {timeout_s:g} s. Check that it is up and not overloaded, or raise "
            f"CANDOR_QDRANT_TIMEOUT_S."
        )
    if "CERTIFICATE_VERIFY_FAILED" in str(source):
        return (
            f"has a certificate that is not trusted: {source}. Set SSL_CERT_FILE to the file of its authority or of "
            "the certificate itself."
        )
    if isinstance(source, httpx.TransportError):
        return f"cannot be reached: {source}. Start it, or correct QDRANT_URL."
    if isinstance(source, RuntimeError) and "closed" in str(source):
        return "has been closed here. Open the store again."
    return (
        f"gave an answer that is not Qdrant's ({type(source).__name__}: {str(source)[:200]}). "
        f"Check that QDRANT_URL points to a Qdrant server."
    )


def _answered(error: UnexpectedResponse, collection: str) -> str:
    text = error.content[:200].decode("utf-8", "replace")
    if error.status_code in (401, 403):
        return f"refused the API key ({error.status_code}): {text}. Set QDRANT_API_KEY to one that may read and write."
    if error.status_code == NOT_FOUND:
        return f"has no collection {collection!r} any more (404): {text}. Run `candor ingest --rebuild`."
    return f"answered {error.status_code}: {text}. Check the server's log, and try again."


def checked_address(url: str) -> str:
    """Return a server's address for messages: without user name, password and query.

    >>> checked_address("https://me:secret@qdrant.example.org:6333/a")
    'https://qdrant.example.org:6333/a'

    Raises:
        ConfigurationError: It is not an http or https address.
    """
    shown = url.rpartition("@")[2]
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError as error:
        raise ConfigurationError(f"QDRANT_URL={shown!r} is not an address: {error}. {_EXAMPLE}") from error
    if not valid:
        raise ConfigurationError(f"QDRANT_URL={shown!r} is not an address. {_EXAMPLE}")
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
