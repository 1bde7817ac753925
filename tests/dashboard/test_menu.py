"""The menu: pages by what people look for, the conversations of whoever looks, and what can be done with one."""

from seen import KNOWN, UNKNOWN, ask, button, logged_in, text_of

from rag.workspace.values import new_session_id


def listed(test):
    return [one.label for one in test.sidebar.button if (one.key or "").startswith("open-")]


def test_each_person_finds_their_own_conversations_by_any_question_of_them(open_page, library, monkeypatch):
    logged_in(monkeypatch, "Ada", "ask", "key-menu")
    for session, questions in ((new_session_id(), ("Who pays?", "And books?")), (new_session_id(), ("Which gloves?",))):
        for asked in questions:
            library.wiring.sessions.append(session, question=asked, answer={}, request_id="r", owner="key-menu")
    test = open_page()
    assert listed(test) == ["Which gloves?", "Who pays?"]
    test.text_input(key="find-conversation").set_value("BOOKS").run()
    assert listed(test) == ["Who pays?"]
    logged_in(monkeypatch, "Ben", "ask", "key-other")
    assert listed(open_page()) == []


def test_a_conversation_is_opened_from_any_page_and_renamed(open_page, library):
    test = ask(open_page)
    session = test.session_state["ask_turns_of"]
    button(test, "New question").click().run()
    test.chat_input[0].set_value(UNKNOWN).run()
    test.switch_page("pages/monitor.py")
    test.query_params.clear()
    test.run()
    assert KNOWN not in text_of(test)
    next(one for one in test.button if one.key == f"open-{session}").click().run()
    assert [title.value for title in test.title] == ["Ask"]
    assert "between 0.4 and 0.6 metres per second" in text_of(test)
    test.text_input(key=f"name-{session}").set_value("Hoods").run()
    assert library.wiring.sessions.get(session).title == "Hoods"
    assert "Hoods" in listed(test)
