"""A conversation that is deleted while a question of it is under way stays deleted."""

from typing import Any

import httpx
import pytest
from api_samples import ANSWERED
from interfaces import events_of
from live import live
from seeds import Breaking

from rag.workspace.conversation import NOT_KEPT


@pytest.fixture(scope="module")
def served(candor):
    slow = Breaking(candor)
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
    slow.before = bool
    for _ in range(turns):
        answer_of(url, False, session_id)
    slow.before = lambda: httpx.delete(f"{url}/api/v1/sessions/{session_id}", timeout=60)
    answer = answer_of(url, stream, session_id)
    assert answer["answer"]
    assert [note for note in answer["notes"] if note.startswith(NOT_KEPT) and "deleted" in note]
    for path in (f"sessions/{session_id}", f"sessions/{session_id}/history", f"requests/{answer['request_id']}"):
        assert httpx.get(f"{url}/api/v1/{path}", timeout=60).status_code == 404, path


def test_a_conversation_that_was_never_begun_is_begun_by_its_first_question(served):
    url, slow = served
    session_id, slow.before = "3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d40", bool
    answer = answer_of(url, False, session_id)
    assert not [note for note in answer["notes"] if note.startswith(NOT_KEPT)]
    assert httpx.get(f"{url}/api/v1/sessions/{session_id}", timeout=60).json()["query_count"] == 1
