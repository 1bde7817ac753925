"""A conversation that is deleted while a question of it is under way stays deleted."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from api_samples import ANSWERED
from interfaces import events_of
from live import live

from rag.candor import Candor
from rag.workspace.conversation import NOT_KEPT


class Slow:
    """A Candor whose pipeline does something before each answer begins: what it does has then happened under way."""

    def __init__(self, candor: Candor) -> None:
        self._candor = candor
        self.meanwhile: Callable[[], Any] = lambda: None

    @property
    def pipeline(self) -> Any:
        self.meanwhile()
        return self._candor.pipeline

    def __getattr__(self, name: str) -> Any:
        return getattr(self._candor, name)


@pytest.fixture(scope="module")
def served(candor):
    slow = Slow(candor)
    with live(lambda: slow, candor.settings) as address:
        yield address, slow


def answer_of(url: str, stream: bool, session_id: str) -> dict[str, Any]:
    body = {"question": ANSWERED, "session_id": session_id, "stream": stream}
    said = httpx.post(f"{url}/api/v1/ask", json=body, timeout=60)
    assert said.status_code == 200
    return dict(events_of(said.text)[-1][1] if stream else said.json())


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("turns", [0, 1])
def test_the_answer_is_given_and_says_that_it_was_not_kept(served, turns, stream):
    url, slow = served
    session_id = httpx.post(f"{url}/api/v1/sessions", timeout=60).json()["session_id"]
    slow.meanwhile = lambda: None
    for _ in range(turns):
        answer_of(url, False, session_id)
    slow.meanwhile = lambda: httpx.delete(f"{url}/api/v1/sessions/{session_id}", timeout=60)
    answer = answer_of(url, stream, session_id)
    assert answer["answer"]
    assert [note for note in answer["notes"] if note.startswith(NOT_KEPT) and "deleted" in note]
    for path in (f"sessions/{session_id}", f"sessions/{session_id}/history", f"requests/{answer['request_id']}"):
        assert httpx.get(f"{url}/api/v1/{path}", timeout=60).status_code == 404, path


def test_a_conversation_that_was_never_begun_is_begun_by_its_first_question(served):
    url, slow = served
    session_id, slow.meanwhile = "3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d40", lambda: None
    answer = answer_of(url, False, session_id)
    assert not [note for note in answer["notes"] if note.startswith(NOT_KEPT)]
    assert httpx.get(f"{url}/api/v1/sessions/{session_id}", timeout=60).json()["query_count"] == 1
