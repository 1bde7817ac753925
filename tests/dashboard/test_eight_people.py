"""Eight people, each in a session of their own: everybody sees their own answers and settings, and nobody else's.

At the very same moment they ask in `tests/e2e/test_eight_browsers.py`: AppTest replaces parts of Streamlit for its
whole process, so that only one of them can run at a time.
"""

from seen import Open, text_of

from rag.candor import Candor

ASKED = (
    ("Between which values must the face velocity of a fume hood in use lie?", "0.4 and 0.6 metres per second"),
    ("By what name are floods caused by volcanoes under the ice known in Iceland?", "jökulhlaup"),
    ("What happened to the glaciers after the Larsen B ice shelf broke up?", "several times faster"),
    ("Who won the football world cup in 1998?", "The documents do not cover this."),
)
PEOPLE = [(*ASKED[number % len(ASKED)], number) for number in range(8)]


def test_eight_people_with_open_conversations_see_their_own_answers_only(open_page: Open, library: Candor) -> None:
    sessions = [open_page() for _ in PEOPLE]
    for test, (question, _, _) in zip(sessions, PEOPLE, strict=True):
        test.chat_input[0].set_value(question).run()
    for test in sessions:
        test.run()  # everybody's page is drawn again after all have asked
    conversations = set()
    for test, (question, expected, _) in zip(sessions, PEOPLE, strict=True):
        said = text_of(test)
        assert question in said
        assert expected in said
        for other, _ in ASKED:
            assert other == question or other not in said
        session = test.query_params["session"]
        conversations.add(session[0] if isinstance(session, list) else session)
    assert len(conversations) == 8
    for conversation in conversations:
        assert len(library.wiring.sessions.history(conversation)) == 1


def test_one_persons_sliders_move_nobody_elses(open_page: Open) -> None:
    mine, others = open_page("tune"), open_page("tune")
    before = {one.key: one.value for one in (*others.slider, *others.select_slider)}
    mine.select_slider(key="t_careful").set_value(0.95).run()
    others.run()
    assert mine.select_slider(key="t_careful").value == 0.95
    assert {one.key: one.value for one in (*others.slider, *others.select_slider)} == before
