"""Eight people at once, each in a session of their own: everybody sees their own answers, and nobody else's."""

import threading
from collections.abc import Sequence

import pytest
from seen import Open, button, text_of
from streamlit.testing.v1 import AppTest

from rag.candor import Candor

ASKED = (
    ("Between which values must the face velocity of a fume hood in use lie?", "0.4 and 0.6 metres per second"),
    ("By what name are floods caused by volcanoes under the ice known in Iceland?", "jökulhlaup"),
    ("What happened to the glaciers after the Larsen B ice shelf broke up?", "several times faster"),
    ("Who won the football world cup in 1998?", "No answer"),
)
PEOPLE = [(*ASKED[number % len(ASKED)], number) for number in range(8)]


def all_at_once(sessions: Sequence[AppTest]) -> list[str]:
    """Let every session ask its question in a thread of its own; return what went wrong."""
    start, failures = threading.Barrier(len(sessions)), []

    def ask(test: AppTest, question: str) -> None:
        try:
            start.wait(30)
            test.chat_input[0].set_value(question).run(timeout=120)
        except BaseException as error:
            failures.append(repr(error))

    threads = [
        threading.Thread(target=ask, args=(test, person[0])) for test, person in zip(sessions, PEOPLE, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(180)
    return failures


def test_eight_people_who_ask_at_once_see_their_own_answers_only(open_page: Open, library: Candor) -> None:
    sessions = [open_page() for _ in PEOPLE]
    assert all_at_once(sessions) == []
    conversations = set()
    for test, (question, expected, _) in zip(sessions, PEOPLE, strict=True):
        said = text_of(test)
        assert question in said
        assert expected in said or expected in " ".join(str(one.proto.title) for one in test.warning)
        for other, _ in ASKED:
            assert other == question or other not in said
        session = test.query_params["session"]
        conversations.add(session[0] if isinstance(session, list) else session)
    assert len(conversations) == 8
    for conversation in conversations:
        assert len(library.wiring.sessions.history(conversation)) == 1


@pytest.mark.parametrize("page", ["tune"])
def test_one_persons_sliders_move_nobody_elses(open_page: Open, page: str) -> None:
    mine, others = open_page(page), open_page(page)
    before = {one.key: one.value for one in others.slider}
    mine.slider(key="t_confidence").set_value(0.95).run()
    button(mine, "Keep these settings to compare").click().run()
    others.run()
    assert {one.key: one.value for one in others.slider} == before
    assert "kept" not in text_of(others)
