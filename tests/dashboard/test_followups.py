"""Follow-up questions on the page Ask: read with the question before, and shown as typed."""

from seen import ask, session_of, text_of

from dashboard import resources

FIRST = "Where are class A chemicals kept?"
READ = "Read as: Where are class A chemicals kept? And class C?"


def typed(test):
    """Return what stands in the person's own words."""
    return [message.markdown[0].value for message in test.chat_message if message.name == "user"]


def test_a_follow_up_is_shown_as_typed_and_as_read_and_the_next_is_read_with_it_after_a_reload(open_page):
    test = ask(open_page, FIRST)
    assert "Read as" not in text_of(test)
    test.chat_input[0].set_value("And class C?").run()
    assert typed(test) == [FIRST, "And class C?"]
    said = [element.value for element in test.chat_message[-1] if element.type in ("caption", "warning", "markdown")]
    assert READ in said[0]  # before what came of it
    assert "This link asks" not in text_of(test)
    assert "Not answered yet" not in text_of(test)
    (field,) = [one for one in test.text_input if one.label == "Question"]  # where it can be put right
    assert field.value == READ.removeprefix("Read as: ")
    again = open_page(session=session_of(test))
    assert typed(again) == [FIRST, "And class C?"]
    assert READ in text_of(again)
    again.chat_input[0].set_value("And class D?").run()
    turns = resources.get_sessions().history(session_of(again))
    assert [turn.question for turn in turns] == typed(again) == [FIRST, "And class C?", "And class D?"]
    [one for one in again.text_input if one.label == "Question"][-1].set_value("Where are class D kept?").run()
    [one for one in again.button if one.label == "Ask this"][-1].click().run()  # put right, and asked
    assert typed(again)[-1] == "Where are class D kept?"
