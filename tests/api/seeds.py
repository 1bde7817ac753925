"""What the tests of the seeds' rules share: documents made for a rule, what was recorded, parts that fail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from api_samples import settings_of
from fastapi.testclient import TestClient
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from readers import ScriptedReader

from api.app import create_api
from rag.adapters.ollama_generator import OllamaGenerator
from rag.candor import Candor

LAMP = "How often does the keeper of the lighthouse check the lamp?"
GATE = "When does the north gate open?"
FIRN = (
    "When the density reaches about 830 kilograms per cubic metre, the remaining air is closed off in bubbles, "
    "and firn has become glacier ice."
)
"""A true sentence of the sample textbook."""


def lamps(count: int) -> str:
    """A document with so many sections, each of which answers `LAMP`."""
    told = "The keeper of lighthouse {n} checks the lamp every {n} hours and writes it into log book {n}, on its table."
    return "# Lamps\n\n" + "\n\n".join(f"## {n} Lamp {n}\n\n{told.format(n=n)}" for n in range(1, count + 1))


def gates() -> dict[str, str]:
    """Five small documents that name nothing but themselves; each answers `GATE` in fewer than 50 characters."""
    return {f"gate{n}.txt": f"The north gate opens at six. Door {n} of the north gate is green." for n in range(5)}


@contextmanager
def uploaded(client: TestClient, documents: dict[str, str]) -> Iterator[None]:
    """Documents, texts by name, that are indexed for as long as a test needs them."""
    files = [("file", (name, text.encode())) for name, text in documents.items()]
    response = client.post("/api/v1/documents", files=files)
    assert response.status_code == 200, response.text
    try:
        yield
    finally:
        for name in documents:
            client.delete(f"/api/v1/documents/{name}")


def recorded(client: TestClient, response: Any) -> Any:
    """What the canonical record says of the request that a contract has answered."""
    found = client.get(f"/api/v1/requests/{response.headers['x-request-id']}")
    assert found.status_code == 200, found.text
    return found.json()


class Breaking:
    """A Candor whose pipeline raises what it is given, or comes after something; or has some parts exchanged.

    `before` is done each time a pipeline is asked for: what it does has happened while a question was under way.
    """

    def __init__(
        self, candor: Candor, error: Exception | None = None, *, before: Callable[[], Any] = bool, **changes: Any
    ) -> None:
        self._candor, self._error, self.before, self._changes = candor, error, before, changes

    @property
    def pipeline(self) -> Any:
        self.before()
        if self._error is not None:
            raise self._error
        return replace(self._candor.pipeline, **self._changes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._candor, name)

    def client(self, **settings: Any) -> TestClient:
        """The API over it, not started: what is broken breaks while a question is asked."""
        chosen = settings_of(self._candor.settings.data_dir, **settings)
        return TestClient(create_api(lambda: self, chosen))  # type: ignore[arg-type,return-value]


def speaking(candor: Candor, url: str, *, patience_s: float = 10) -> Any:
    """A Candor that asks a model server, whose longest silence is given; index, log and sessions are the other's."""
    limits = {"connect_timeout_s": 2, "token_timeout_s": patience_s, "total_timeout_s": 2 * patience_s}
    return Breaking(candor, generator=OllamaGenerator(url, None, **limits))


def serving(candor: Candor, **changes: Any) -> TestClient:
    return Breaking(candor, **changes).client()


@contextmanager
def with_model(
    candor: Candor, says: Callable[[str, list[str]], str], *, fault: Fault = Fault.NONE, doubted: bool = False
) -> Iterator[TestClient]:
    """The API over a model server whose model says what the test wants; nothing stands in for it where it fails.

    `doubted`: the reader is sure of nothing.
    """
    with OllamaServer(ScriptedBrain(says), fault=fault) as server:
        changes: dict[str, Any] = {"reader": ScriptedReader(lambda question, text: 0.4)} if doubted else {}
        generator = speaking(candor, server.url).pipeline.generator
        yield serving(candor, generator=generator, on_model_failure="error", **changes)
