"""How the URL adapter reports every failure, and that no exception of the client is unmapped."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import qdrant_client
from qdrant_answers import ALL, KEY, NAMES, URL, Answer, Server, calls, connect
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from store_samples import DIMENSION

from rag.errors import CandorError, IndexNotReady, StoreUnavailable


def failing(error: Exception) -> Answer:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    return answer


def replying(status: int, **reply: Any) -> Answer:
    return lambda request: httpx.Response(status, **reply)


FAILURES = {
    "timeout": (failing(httpx.ReadTimeout("slow")), "did not answer within 3 s"),
    "refused": (failing(httpx.ConnectError("[Errno 111] Connection refused")), "cannot be reached.*111"),
    "cut off": (failing(httpx.RemoteProtocolError("peer closed connection")), "cannot be reached"),
    "401": (replying(401, text="Must provide an API key"), r"refused the API key \(401\).*QDRANT_API_KEY"),
    "404": (replying(404, json={"status": {"error": "Not found"}}), r"no collection 'candor'"),
    "429": (replying(429, json={"status": {"error": "busy"}}, headers={"Retry-After": "7"}), "again in 7 s"),
    "429 without a time": (replying(429, json={"status": {"error": "busy"}}), "answered 429"),
    "503": (replying(503, text="no healthy upstream"), "answered 503: no healthy upstream"),
    "a web page": (replying(200, text="<html>Welcome</html>"), "not Qdrant's"),
    "no result": (replying(200, json={"result": None, "status": "ok", "time": 0.0}), "not Qdrant's"),
    "another shape": (replying(200, json={"result": {"colour": 1}, "status": "ok", "time": 0.0}), "not Qdrant's"),
    "bytes": (replying(200, content=b"\xff\xfe\x00"), "not Qdrant's"),
    "the key repeated": (replying(500, text=f"bad header api-key: {KEY}"), r"api-key: \*\*\*"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_of_every_call_is_reported_with_the_address_and_never_the_key(failure: str, name: str) -> None:
    answer, expected = FAILURES[failure]
    store = connect(answer)
    with pytest.raises(StoreUnavailable, match=f"Qdrant at {URL} .*{expected}") as caught:
        calls(store)[name]()
    assert KEY not in caught.value.message
    assert KEY not in str(caught.value.details)
    assert caught.value.details["url"] == URL
    assert caught.value.__cause__ is not None
    status = store.check()
    assert (status.state, status.latency_ms) == ("disconnected", None)
    assert URL in status.detail
    assert KEY not in status.detail


@pytest.mark.parametrize("name", NAMES)
def test_a_failure_after_the_collection_was_found_is_reported_too(name: str) -> None:
    server = Server()
    down = False

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(503, text="down") if down else server(request)

    store = connect(answer)
    store.count(ALL)
    down = True
    with pytest.raises(StoreUnavailable, match="answered 503"):
        calls(store)[name]()
    down = False
    calls(store)[name]()  # and it works again when the server is back


def test_a_login_in_the_address_is_not_repeated() -> None:
    store = connect(failing(httpx.ConnectError("refused")), url="https://me:hunter2@qdrant.example.org:6333")
    with pytest.raises(StoreUnavailable, match=f"Qdrant at {URL}") as caught:
        store.count(ALL)
    assert "hunter2" not in caught.value.message


def test_a_collection_of_another_dimension_is_refused_with_both_numbers() -> None:
    with pytest.raises(IndexNotReady, match=r"768 dimensions.*gives 4"):
        connect(Server(size=768)).count(ALL)


def test_a_collection_of_somebody_else_is_refused() -> None:
    class Foreign(Server):
        def collection(self) -> dict[str, Any]:
            described = super().collection()
            described["config"]["params"]["vectors"] = {"size": DIMENSION, "distance": "Cosine"}
            return described

    with pytest.raises(IndexNotReady, match="was not made by Candor"):
        connect(Foreign()).count(ALL)


def test_a_collection_that_another_process_makes_in_between_is_used() -> None:
    class Racing(Server):
        def __call__(self, request: httpx.Request) -> httpx.Response:
            if request.method == "PUT" and request.url.path == "/collections/candor":
                self.requests.append(request)
                self.exists = True
                return httpx.Response(409, json={"status": {"error": "already exists"}})
            return super().__call__(request)

    assert connect(Racing(exists=False)).count(ALL) == 1


def exceptions_of_the_client() -> Iterator[type[Exception]]:
    """Every exception class that qdrant_client defines, whatever module it stands in; of httpx, all of them."""
    for module in pkgutil.walk_packages(qdrant_client.__path__, "qdrant_client."):
        if any(part in module.name for part in (".grpc", ".proto", "fastembed", ".hybrid", ".migrate")):
            continue
        loaded = importlib.import_module(module.name)
        for thing in vars(loaded).values():
            if (
                isinstance(thing, type)
                and issubclass(thing, Exception)
                and thing.__module__.startswith("qdrant_client")
            ):
                yield thing
    yield from (one for one in vars(httpx).values() if isinstance(one, type) and issubclass(one, Exception))


def made(kind: type[Exception]) -> Exception:
    """An instance of an exception class, whatever its constructor takes."""
    if issubclass(kind, UnexpectedResponse):
        return kind(418, "teapot", b"short and stout", httpx.Headers())
    if issubclass(kind, ResourceExhaustedResponse):
        return kind("busy", 3)
    if issubclass(kind, ResponseHandlingException):
        return kind(ValueError("garbage"))
    if issubclass(kind, httpx.HTTPStatusError):
        return kind("status", request=httpx.Request("GET", URL), response=httpx.Response(500))
    return kind() if issubclass(kind, httpx.StreamError) and kind is not httpx.StreamError else kind("broken")


def test_no_exception_of_the_client_is_unmapped() -> None:
    kinds = sorted(set(exceptions_of_the_client()), key=lambda kind: kind.__qualname__)
    assert {UnexpectedResponse, ResponseHandlingException, ResourceExhaustedResponse, httpx.ReadTimeout} <= set(kinds)
    for kind in [*kinds, ValueError, AssertionError, RuntimeError, OSError, KeyError]:
        store = connect(Server())
        with pytest.raises(CandorError) as caught, store._border():
            raise made(kind)
        assert type(caught.value) is StoreUnavailable, kind
        assert URL in caught.value.message
        assert isinstance(caught.value.__cause__, kind)
