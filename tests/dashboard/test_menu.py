"""The menu: pages by what people look for, the conversations of whoever looks, and what can be done with one."""

from seen import KNOWN, UNKNOWN, ask, button, logged_in, session_of, text_of

from rag.workspace.values import new_session_id

ANSWER = "between 0.4 and 0.6 metres per second"


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


def test_a_conversation_is_returned_to_from_another_page_left_opened_again_and_renamed(open_page, library):
    def by_the_menu(page, **parameters):
        test.switch_page(f"pages/{page}.py")
        test.query_params.clear()
        for name, value in parameters.items():
            test.query_params[name] = value
        return text_of(test.run())

    test = ask(open_page)
    session = test.session_state["ask_turns_of"]
    by_the_menu("documents")
    assert ANSWER in by_the_menu("ask")
    assert session_of(test) == session
    by_the_menu("documents")
    by_the_menu("ask", question=UNKNOWN)
    assert "session" not in test.query_params  # a link that asks begins anew
    button(test, "Ask this").click().run()
    assert session_of(test) != session
    button(test, "New question").click().run()
    assert "4 documents are indexed" in by_the_menu("ask")
    assert KNOWN not in by_the_menu("monitor")
    assert not listed(test)
    test.session_state["conversations-Monitor"] = True  # as where it is opened
    test.run()
    next(one for one in test.button if one.key == f"open-{session}").click().run()
    assert [title.value for title in test.title] == ["Ask"]
    assert ANSWER in text_of(test)
    test.text_input(key=f"name-{session}").set_value("Hoods").run()
    assert library.wiring.sessions.get(session).title == "Hoods"
    assert "Hoods" in listed(open_page())
