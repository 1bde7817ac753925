"""The page Ask: answers with sources, refusals with reasons, settings in the URL, conversations that survive."""

import re
from types import SimpleNamespace

import pytest
import seen
from seen import KNOWN, UNKNOWN, answer_of, ask, button, says, send, session_of, text_of

from dashboard import resources, talking
from rag.models import GroundedSentence
from rag.refuse import NOT_COVERED
from rag.workspace.retention import delete_conversation

ANSWER = "between 0.4 and 0.6 metres per second"
GLOVES = "Which gloves are required for dichloromethane?"


def test_an_empty_index_says_what_to_do_to_whoever_may_do_it(open_empty, monkeypatch):
    test = open_empty()
    says(text_of(test), "Nothing is indexed yet", "candor ingest PATH")
    assert test.chat_input[0].disabled
    assert len(test.get("file_uploader")) == 1
    seen.logged_in(monkeypatch, "Ada", "ask", "key-a")
    test = open_empty()
    assert "An administrator has to add documents first." in text_of(test)
    assert not test.get("file_uploader")


def test_an_answer_names_its_source_which_stands_beside_it_until_it_is_closed_and_why_it_is_so(open_page):
    framed = "the excerpt is framed"
    test = open_page(confidence_threshold="0.2")
    assert "4 documents are indexed" in text_of(test)
    said = text_of(send(test, KNOWN))
    says(said, ANSWER, "safety_manual.pdf · page 6 · 2.1", f"Page 6 of 14: {framed}.",
         f'(#source-{answer_of(test).request_id}-1 "Open source 1: safety_manual.pdf · page 6 · 2.1 How')  # fmt: skip
    assert re.search(r"Quoted word for word, \d sources?, sure \(0\.\d\d\)", said)
    assert "supported" not in said  # a quotation is what the document says, beside the point or not
    button(test, "Why?").click().run()
    says(text_of(test), "Quoted from the documents", "What was dropped", "The two searches found")
    hits = test.dataframe[0].value  # the passages found, with every score
    assert (len(hits), hits["used"].sum(), hits.iloc[0]["document"]) == (20, 5, "safety_manual.pdf")
    button(test, "Close").click().run()
    assert framed not in text_of(send(test, "What is firn?"))
    assert test.segmented_control[0].value == "Source"  # of the new answer, which is of a text without pages


def test_a_document_without_pages_is_read_in_its_panel_with_tables_and_neighbours(open_page):
    where = {"document": "travel_policy.docx", "confidence_threshold": "0.1"}
    test = ask(open_page, "What is the daily allowance in the rest of Europe?", **where)
    says(text_of(test), "| Region | Room per night | Daily allowance |", "| :orange-background[",
         "**1.3 Booking**", "**2.2 Daily allowance**")  # the passage before it, and its own # fmt: skip
    assert "Open the original" in [one.label for one in test.get("download_button")]


def test_a_refusal_leads_with_what_came_close_and_the_owner_can_be_told(open_page):
    test = ask(open_page, UNKNOWN)
    said, request_id = text_of(test), answer_of(test).request_id
    says(said, f"**{NOT_COVERED}**", ":orange-background[",
         "Indexed here: faq.html, safety_manual.pdf, textbook.md, travel_policy.docx.")  # fmt: skip
    assert "threshold" not in said
    assert re.findall(rf"#source-{request_id}-(\d)", said) == ["1", "2", "3"]
    test.session_state["ask_opened"] = (request_id, 3)  # as where its link is clicked
    assert "together they were not good enough to answer from" in text_of(test.run())
    button(test, "Tell the owner").click().run()
    assert not seen.offers(test, "Tell the owner")
    told = resources.get_report().feedback().set_index("request_id")
    assert told.loc[request_id, ["verdict", "reason"]].to_list() == ["bad", "should_have_answered"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("This answers it", {("answer", "wrong"), ("answerable", "yes"), ("chunk", "relevant")}),
        ("None of these", {("chunk", "irrelevant")}),
    ],
)
def test_what_is_said_of_the_closest_sentences_becomes_labels(open_page, library, said, kept):
    test = ask(open_page, KNOWN, estimator="Calibrated", confidence_threshold="1.0", unsure_threshold="0.0")
    answer = answer_of(test)
    assert (answer.outcome, answer.answer, answer.gate.unsure_threshold) == ("unsure", None, 0.0)
    says(text_of(test), "These sentences come closest:", ":orange-background[")
    button(test, said).click().run()
    assert not seen.offers(test, said)
    labels = library.wiring.sessions.labels.list(target=answer.request_id)
    assert {(one.aspect, one.verdict) for one in labels} == kept
    noted = [one.note for one in labels if one.verdict == "relevant"]
    assert noted == [miss.sentence for miss in answer.gate.nearest_misses[:1] if said == "This answers it"]
    for label in labels:
        library.wiring.sessions.labels.remove(label)


def test_a_refusal_under_filters_names_them_and_is_asked_again_without_them(open_page):
    test = ask(open_page, GLOVES, document="textbook.md", chapter="1", top_k="3", confidence_threshold="0.5")
    assert "that the filter (document textbook.md, chapter 1) left out" in text_of(test)
    button(test, "Ask again everywhere").click().run()
    assert "laminate gloves are required" in text_of(test)
    assert (test.multiselect(key="document").value, test.slider(key="top_k").value) == ([], 3)

    two = ["textbook.md", "faq.html"]
    test = open_page(confidence_threshold="0.9", unsure_threshold="0.9")
    test.multiselect(key="document").set_value(two).run()
    send(test, GLOVES)
    assert answer_of(test).query.filters.sources == tuple(two)
    assert "documents textbook.md and faq.html" in text_of(test)
    assert "document=textbook.md&document=faq.html" in seen.address(test, "question=")[0]


def test_a_filter_that_names_what_is_not_indexed_now_is_told_and_not_dropped_in_silence(open_over, tmp_path):
    gone, text = "Not indexed here: document ", "# Lighthouse\n\nThe lighthouse is guarded by {}.\n"
    with seen.notes(tmp_path, orsk=text.format("Marta Lind"), vale=text.format("Ivo Brandt")) as candor:
        test = open_over(candor)(question=KNOWN, document=["orsk.md", "gone.pdf", "lost.md"])
        assert f"{gone}gone.pdf, lost.md." in text_of(test)
        test.multiselect(key="document").set_value([]).run()
        assert gone not in text_of(test)
        test.multiselect(key="document").set_value(["orsk.md"]).run()
        candor.forget("orsk.md")
        assert f"{gone}orsk.md." in text_of(send(test, "Who guards the lighthouse?"))


def test_pasted_text_is_answered_from_alone_even_with_an_empty_index(open_empty):
    test = open_empty(mode="Pasted text only", estimator="Best similarity")
    assert test.chat_input[0].placeholder == "Paste the text to answer from, under “Pasted text”"
    test.text_area[0].set_value("The lighthouse of Orsk is guarded by Marta Lind. It was built in 1902.").run()
    said = text_of(send(test, "Who guards the lighthouse of Orsk?"))
    says(said, "guarded by Marta Lind", "The passage of the text that was pasted with the question.", "1 source")
    inspect = open_empty("inspector", request_id=answer_of(test).request_id)
    assert "1 sentence, 0 dropped" in text_of(seen.part(inspect, "Sentences"))
    assert "found 1 passage; 1 is listed above" in text_of(seen.part(inspect, "Passages"))


def test_a_greeting_gets_a_sentence_and_a_summary_names_no_confidence(open_page):
    test = ask(open_page, "hi")
    assert answer_of(test).outcome == "talk"
    assert str(answer_of(test).message) in text_of(test)
    assert not seen.offers(test, "Why?")
    send(test, "Summarise textbook.md")
    assert answer_of(test).query.previous is None  # it is read without the greeting
    assert "Quoted word for word" in text_of(test)
    assert "sure (" not in text_of(test)  # it was not judged


def test_what_cannot_be_asked_begins_no_conversation_and_is_kept(open_page):
    test, lacks = open_page(mode="Chapter first", question=KNOWN), "Choose a chapter under “Chapter first”, or look"
    assert test.chat_input[0].disabled
    button(test, "Ask this").click().run()
    assert lacks in text_of(test)
    assert "session" not in test.query_params
    test.selectbox(key="mode").select("book-wide").run()
    button(test, "Ask this").click().run()
    assert ANSWER in text_of(test)

    test = ask(open_page, "??")
    assert "ask with at least 3" in text_of(test)
    assert "session" not in test.query_params
    assert "Not answered yet: **??**" in text_of(test.run())


def test_a_thumb_that_is_taken_back_counts_no_more_and_nothing_is_kept_of_what_is_gone(open_page, library):
    kept, verdict = library.settings.data_dir / "feedback.jsonl", library.wiring.recorder.verdict
    test = ask(open_page)
    request_id = answer_of(test).request_id
    test.feedback[0].set_value(1).run()
    assert verdict(request_id) == "good"
    assert open_page(session=session_of(test)).feedback[0].value == 1
    test.feedback[0].set_value(None).run()
    assert verdict(request_id) is None
    assert kept.read_text().count(request_id) == 2
    delete_conversation(library, session_of(test))
    test.feedback[0].set_value(1).run()
    assert verdict(request_id) is None


def dropped_on(test, monkeypatch, name, text, question=""):
    """Draw the page with a file that was dropped on its input."""
    file = SimpleNamespace(name=name, getvalue=text.encode)
    once = iter([SimpleNamespace(text=question, files=[file])])
    with monkeypatch.context() as input_given:
        input_given.setattr(talking.st, "chat_input", lambda *_, **__: next(once, None))
        test.run()


def test_a_file_dropped_on_the_input_is_added_and_asked_and_replaces_only_after_a_question(
    open_over, tmp_path, monkeypatch
):
    with seen.notes(tmp_path, vale="# Vale\n\nThe lighthouse of Vale is guarded by Ivo Brandt.\n") as candor:
        test = open_over(candor)(confidence_threshold="0.1")
        dropped_on(test, monkeypatch, "orsk.md", "# Orsk\n\nOrsk is guarded by Marta Lind.\n", "Who guards Orsk?")
        seen.ended("ingest")
        test.run()  # as the page does once they are added
        assert "1 added, 0 failed" in text_of(test)
        assert "guarded by Marta Lind" in answer_of(test).answer
        before = {one.document: one.hash for one in candor.documents()}
        assert {*before} == {"vale.md", "orsk.md"}
        dropped_on(test, monkeypatch, "vale.md", "# Vale\n\nVale is guarded by Marta Lind.\n")
        assert "vale.md" in test.warning[0].value
        assert {one.document: one.hash for one in candor.documents()} == before
        button(test, "Replace them").click().run()
        seen.ended("ingest")
        assert {one.document: one.hash for one in candor.documents()} != before


def test_what_was_checked_before_it_was_stopped_stays_and_the_question_is_offered_again(open_page):
    test, text = open_page(), "Gloves are worn."
    checked = GroundedSentence(text=text, supported=True, support=0.9, passages=(1,), evidence=(text,))
    test.session_state["ask_tried"] = test.session_state["ask_stopped"] = UNKNOWN  # as the button Stop leaves it
    test.session_state["ask_checked"] = ((checked,), 1, "req_1")
    says(text_of(test.run()), f"This question was stopped: **{UNKNOWN}**", text, "Left out so far: 1")


def test_a_follow_up_is_shown_as_typed_and_as_read_can_be_put_right_and_is_read_with_after_a_reload(open_page):
    typed = ["Where are class A chemicals kept?", "And class C?"]
    read = " ".join(typed)
    test = ask(open_page, typed[0])
    send(test, typed[1])
    said = [element.value for element in test.chat_message[-1] if element.type in ("caption", "warning", "markdown")]
    assert f"Read as: {read}" in said[0]  # before what came of it
    assert [one.value for one in test.text_input if one.label == "Question"] == [read]
    again = open_page(session=session_of(test))
    assert f"Read as: {read}" in text_of(again)
    send(again, "And class D?")
    turns = resources.get_candor().wiring.sessions.history(session_of(again))
    assert [turn.question for turn in turns] == seen.typed_in(again) == [*typed, "And class D?"]
    [one for one in again.text_input if one.label == "Question"][-1].set_value("Where are class D kept?").run()
    [one for one in again.button if one.label == "Ask this"][-1].click().run()
    assert seen.typed_in(again)[-1] == "Where are class D kept?"
