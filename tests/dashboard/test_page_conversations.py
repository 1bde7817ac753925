"""Conversations on the page Ask: deleted, read by others, reached by links and from the menu."""

import errno

import pytest
from seen import KNOWN, UNKNOWN, address, answer_of, ask, button, logged_in, says, send, session_of, text_of, typed_in

import rag.record
from dashboard import asking, resources
from rag.workspace.conversation import turn_of
from rag.workspace.retention import delete_conversation

ANSWER = "between 0.4 and 0.6 metres per second"
GLOVES = "Which gloves are required for dichloromethane?"


def test_a_conversation_is_deleted_after_confirmation_and_again_if_its_records_stayed(open_page, library, monkeypatch):
    def disk_is_full(path, keep):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    test = ask(open_page)
    session, history = session_of(test), library.wiring.sessions.history
    (turn,) = history(session)
    assert turn.answer == turn_of(library.wiring.recorder.read_answer(turn.request_id), KNOWN)  # as the API keeps it
    button(test, "Delete conversation").click().run()
    assert history(session)
    with monkeypatch.context() as full:
        full.setattr(rag.record, "rewrite", disk_is_full)
        button(test, "Delete it").click().run()
    assert "then delete again" in text_of(test)
    assert history(session)
    button(test, "Delete conversation").click().run()
    button(test, "Delete it").click().run()
    assert (history(session), library.wiring.recorder.read_answer(turn.request_id)) == ([], None)
    assert "session" not in test.query_params


def test_a_conversation_that_is_deleted_while_it_is_asked_is_not_begun_again(open_page, library, monkeypatch):
    test, draw = ask(open_page), asking.draw_stream
    session = session_of(test)

    def draw_late(events, query):
        delete_conversation(library, session)  # in another window
        return draw(events, query)

    monkeypatch.setattr(asking, "draw_stream", draw_late)
    assert "deleted in the meantime" in text_of(send(test, GLOVES))
    assert library.wiring.sessions.get(session) is None
    assert not [one for one in library.wiring.recorder.requests() if one.session_id == session]


def test_somebody_elses_conversation_is_read_by_admins_alone_and_continued_by_nobody(open_page, library, monkeypatch):
    history = library.wiring.sessions.history
    logged_in(monkeypatch, "Ada", "ask", "key-a")
    test = ask(open_page)
    session = session_of(test)
    assert library.wiring.sessions.get(session).owner == "key-a"

    logged_in(monkeypatch, "Ben", "ask", "key-b")
    other = open_page(session=session, question=UNKNOWN)
    says(text_of(other), "belongs to somebody else", f"This link asks: **{UNKNOWN}**")
    assert ANSWER not in text_of(other)
    button(other, "Ask this").click().run()
    assert len(history(session)) == 1

    logged_in(monkeypatch, "Cleo", "admin", "key-c")
    test = open_page(session=session)
    says(text_of(test), "belongs to somebody else", KNOWN)
    assert not {"Delete conversation", "Continue this one"} & {one.label for one in test.button}
    send(test, UNKNOWN)
    assert len(history(session)) == 1
    assert session_of(test) != session


def test_the_links_of_an_answer_lead_to_it_as_recorded_or_ask_it_with_its_settings_anew(open_page, library):
    sent = {"top_k": "3", "similarity_threshold": "0.2", "document": "textbook.md", "estimator": "Mean similarity",
            "confidence_threshold": "0.35", "no_llm": "true", "max_tokens": "321", "temperature": "0.7",
            "mode": "Chapter first", "chapter": "2"}  # fmt: skip
    test = ask(open_page, KNOWN, **sent)
    answer = answer_of(test)
    assert "It opens for everybody who has it and can reach this server." in text_of(test)
    _, to_it = address(test, "session=")
    assert to_it == {"session": session_of(test), "request_id": answer.request_id}
    before = len(resources.get_report().requests(limit=500))
    assert typed_in(open_page(**to_it)) == [KNOWN]
    assert len(resources.get_report().requests(limit=500)) == before  # nothing was asked
    _, given = address(test, "question=")
    assert given == {**sent, "question": KNOWN}
    other = open_page(**given)
    assert not typed_in(other)  # it is asked only when the person says so
    button(other, "Ask this").click().run()
    volatile = {"query_id", "request_id", "timestamp", "session_id"}
    one, two = answer.query, answer_of(other).query
    assert one.model_dump(exclude=volatile) == two.model_dump(exclude=volatile)
    assert one.session_id != two.session_id


@pytest.mark.parametrize("session", ["3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e", "half-a-link"])
def test_a_link_to_a_conversation_that_is_not_here_says_so(open_page, session):
    assert "The conversation of this link does not exist" in text_of(open_page(session=session))
