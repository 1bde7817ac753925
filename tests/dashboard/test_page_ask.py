"""The page Ask: answers with sources, refusals with reasons, settings in the URL, conversations that survive."""

import errno
import re
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest
from seen import KNOWN, UNKNOWN, ask, button, ended, logged_in, notes, says, session_of, text_of

import rag.record
from dashboard import asking, resources, talking
from rag.adapters.openai_generator import OpenAIGenerator
from rag.models import GroundedSentence
from rag.refuse import NOT_COVERED
from rag.workspace.conversation import turn_of
from rag.workspace.retention import delete_conversation


def test_an_empty_index_says_what_to_do(open_empty):
    test = open_empty()
    assert [title.value for title in test.title] == ["Ask"]
    says(text_of(test), "Nothing is indexed yet", "candor ingest PATH")
    assert test.chat_input[0].disabled
    assert len(test.get("file_uploader")) == 1


def test_whoever_cannot_add_documents_is_not_told_to(open_empty, monkeypatch):
    logged_in(monkeypatch, "Ada", "ask", "key-a")
    test = open_empty()
    said = text_of(test)
    assert not test.get("file_uploader")
    assert "An administrator has to add documents first." in said
    assert "candor ingest" not in said


def test_an_answer_names_its_source_its_page_and_its_confidence(open_page):
    test = open_page()
    assert "4 documents are indexed" in text_of(test)
    test.chat_input[0].set_value(KNOWN).run()
    said = text_of(test)
    says(said, "between 0.4 and 0.6 metres per second", "safety_manual.pdf · page 6 · 2.1")
    assert re.search(r"Quoted word for word, \d sources?, sure \(0\.\d\d\)", said)
    assert "supported" not in said  # a quotation is what the document says, beside the point or not
    assert f'(#source-{request_of(test)}-1 "Open source 1: safety_manual.pdf · page 6 · 2.1 How' in said
    (copied,) = [str(one.proto) for one in test.get("bidi_component") if "-copy" in str(one.proto)]
    assert "[1] Larkfield Institute of Materials Chemistry" in copied
    assert not test.dataframe
    says(text_of(why(test)), "What was dropped", "The two searches found")
    hits = test.dataframe[0].value  # the passages found, with every score
    ranks = {"rank", "retrieval_rank", "dense_rank", "bm25_rank"}
    assert {"document", "page", "section", "similarity", "bm25", "reading"} | ranks <= set(hits.columns)
    assert (len(hits), hits["used"].sum(), hits.iloc[0]["document"]) == (20, 5, "safety_manual.pdf")


def request_of(test):
    """Return the id of the last answer."""
    return str(test.session_state["ask_turns"][-1].request_id)


def why(test):
    """Open why the last answer is as it is, in the panel beside it."""
    return [one for one in test.button if one.label == "Why?"][-1].click().run()


def test_the_first_source_of_a_new_answer_stands_beside_it_until_it_is_closed_and_leads_to_other_pages(open_page):
    framed = "the excerpt is framed"
    test = ask(open_page, KNOWN, confidence_threshold="0.2")
    assert f"Page 6 of 14: {framed}." in text_of(test)
    test.get("pagination")[0].set_value(7).run()
    assert framed not in text_of(test)
    why(test)
    assert test.segmented_control[0].value == "Why"
    assert "Quoted from the documents" in text_of(test)
    button(test, "Close").click().run()
    test.chat_input[0].set_value("What is firn?").run()
    assert framed not in text_of(test)
    assert test.segmented_control[0].value == "Source"  # of the new answer, which is of a text without pages


def test_a_document_without_pages_is_read_in_its_panel_with_tables_and_neighbours(open_page):
    where = {"document": "travel_policy.docx", "confidence_threshold": "0.1"}
    test = ask(open_page, "What is the daily allowance in the rest of Europe?", **where)
    said = text_of(test)
    says(said, "| Region | Room per night | Daily allowance |", "| :orange-background[")
    assert "**1.3 Booking**" in said  # the passage before it
    assert "**2.2 Daily allowance**" in said
    assert "Open the original" in [one.label for one in test.get("download_button")]


def test_a_refusal_leads_with_what_came_close_and_the_owner_can_be_told(open_page):
    test = ask(open_page, UNKNOWN)
    assert not test.warning
    said = text_of(test)
    says(said, f"**{NOT_COVERED}**", ":orange-background[",
         "Indexed here: faq.html, safety_manual.pdf, textbook.md, travel_policy.docx.")  # fmt: skip
    assert "threshold" not in said
    assert "below the threshold 0.50" in text_of(why(test))
    request_id = request_of(test)
    assert re.findall(rf"#source-{request_id}-(\d)", said) == ["1", "2", "3"]
    test.session_state["ask_opened"] = (request_id, 3)  # as where its link is clicked
    told = "One of the closest passages: together they were not good enough to answer from."
    says(text_of(test.run()), told)

    button(test, "Tell the owner").click().run()
    assert "the question is listed as one that should be answered" in text_of(test)
    assert "Tell the owner" not in [one.label for one in test.button]
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
    answer = test.session_state["ask_turns"][-1]
    button(test, said).click().run()
    kept_answer = library.wiring.recorder.read_answer(answer.request_id)
    assert (kept_answer.outcome, kept_answer.answer, kept_answer.gate.unsure_threshold) == ("unsure", None, 0.0)
    labels = library.wiring.sessions.labels.list(target=answer.request_id)
    assert {(one.aspect, one.verdict) for one in labels} == kept
    noted = [one.note for one in labels if one.verdict == "relevant"]
    assert noted == [miss.sentence for miss in answer.gate.nearest_misses[:1] if said == "This answers it"]
    assert {one.item for one in labels if one.aspect == "chunk"} <= {hit.chunk_id for hit in answer.retrieved}
    assert said not in [one.label for one in test.button]
    for label in labels:
        library.wiring.sessions.labels.remove(label)


def test_several_documents_are_asked_alone_and_a_refusal_names_them(open_page):
    test = open_page(document="textbook.md", confidence_threshold="0.9", unsure_threshold="0.9")
    test.multiselect(key="document").set_value(["textbook.md", "faq.html"]).run()
    test.chat_input[0].set_value("Which gloves are required for dichloromethane?").run()
    answer = test.session_state["ask_turns"][-1]
    assert answer.query.filters.sources == ("textbook.md", "faq.html")
    assert {hit.document for hit in answer.retrieved} <= {"textbook.md", "faq.html"}
    assert "documents textbook.md and faq.html" in text_of(test)
    (address,) = [str(code.value) for code in test.code if "question=" in str(code.value)]
    assert "document=textbook.md&document=faq.html" in address
    next(one for one in test.button if one.label == "Ask again everywhere").click().run()
    assert test.session_state["ask_turns"][-1].query.filters.is_empty


def test_a_refusal_under_a_filter_is_asked_again_without_it(open_page):
    question = "Which gloves are required for dichloromethane?"
    test = ask(open_page, question, document="textbook.md", chapter="1", top_k="3", confidence_threshold="0.5")
    said = text_of(test)
    assert "that the filter (document textbook.md, chapter 1) left out" in said
    assert "candor documents" not in said  # a button and no command line
    button(test, "Ask again everywhere").click().run()
    said = text_of(test)
    assert "laminate gloves are required" in said
    assert said.count(question) == 2  # in the same conversation
    assert test.multiselect(key="document").value == []
    assert {slider.key: slider.value for slider in test.slider}["top_k"] == 3


def test_where_questions_are_sent_is_told_before_the_first(open_page, library, monkeypatch):
    assert "are sent there" not in text_of(open_page())
    monkeypatch.setitem(library.wiring.__dict__, "generator", OpenAIGenerator("https://llm.example/v1"))
    told = "a model at https://llm.example/v1: the question and the passages found are sent there"
    assert told in text_of(open_page())


def test_a_filter_that_names_no_document_of_the_index_is_told_and_not_dropped_in_silence(open_page):
    assert "Not indexed here" not in text_of(open_page(question=KNOWN, document="safety_manual.pdf"))
    test = open_page(question=KNOWN, document=["safety_manual.pdf", "gone.pdf", "lost.md"])
    assert "Not indexed here: document gone.pdf, lost.md." in text_of(test)
    test.multiselect(key="document").set_value(["faq.html"]).run()
    assert "Not indexed here" not in text_of(test)


def test_a_filter_whose_document_is_removed_while_the_page_is_open_is_told(open_over, tmp_path):
    text = "# Lighthouse\n\nThe lighthouse is guarded by {}.\n"
    with notes(tmp_path, orsk=text.format("Marta Lind"), vale=text.format("Ivo Brandt")) as candor:
        test = open_over(candor)()
        test.multiselect(key="document").set_value(["orsk.md"]).run()
        assert "Not indexed here" not in text_of(test)
        candor.forget("orsk.md")
        test.chat_input[0].set_value("Who guards the lighthouse?").run()
        assert "Not indexed here: document orsk.md." in text_of(test)


def test_pasted_text_is_answered_from_alone_even_with_an_empty_index(open_empty):
    test = open_empty(mode="Pasted text only", estimator="Best similarity")
    assert test.chat_input[0].disabled
    assert test.chat_input[0].placeholder == "Paste the text to answer from, under “Pasted text”"
    test.text_area[0].set_value("The lighthouse of Orsk is guarded by Marta Lind. It was built in 1902.").run()
    test.chat_input[0].set_value("Who guards the lighthouse of Orsk?").run()
    said = text_of(test)
    says(said, "guarded by Marta Lind", "The passage of the text that was pasted with the question.", "1 source")
    assert "changed or removed" not in said
    said = text_of(open_empty("inspector", request_id=request_of(test)))
    says(said, "1 sentence, 0 dropped", "found 1 passage; 1 is listed above")


def test_a_greeting_gets_a_sentence_and_the_next_question_is_read_without_it(open_page):
    test = ask(open_page, "hi")
    said = test.session_state["ask_turns"][-1]
    assert said.outcome == "talk"
    assert str(said.message) in text_of(test)
    assert not [one for one in test.button if one.label == "Why?"]
    test.chat_input[0].set_value(KNOWN).run()
    assert test.session_state["ask_turns"][-1].query.previous is None


def test_a_conversation_is_deleted_after_confirmation_and_again_if_its_records_stayed(open_page, library, monkeypatch):
    test = ask(open_page)
    session = session_of(test)
    (turn,) = library.wiring.sessions.history(session)
    answer = library.wiring.recorder.read_answer(turn.request_id)
    assert turn.answer == turn_of(answer, KNOWN)  # kept as the API keeps it
    assert turn.answer["citations"]
    button(test, "Delete conversation").click().run()
    assert "removed for good" in text_of(test)
    assert library.wiring.sessions.history(session)
    with monkeypatch.context() as full:
        full.setattr(rag.record, "rewrite", _disk_is_full)
        button(test, "Delete it").click().run()
    assert "then delete again" in text_of(test)
    assert library.wiring.sessions.history(session)
    button(test, "Delete conversation").click().run()
    button(test, "Delete it").click().run()
    assert not library.wiring.sessions.history(session)
    assert library.wiring.recorder.read_answer(turn.request_id) is None
    assert "session" not in test.query_params


def test_a_conversation_that_is_deleted_while_it_is_asked_is_not_begun_again(open_page, library, monkeypatch):
    test, draw = ask(open_page), asking.draw_stream
    session = session_of(test)

    def draw_late(events, query):
        delete_conversation(library, session)  # in another window
        return draw(events, query)

    monkeypatch.setattr(asking, "draw_stream", draw_late)
    test.chat_input[0].set_value("Which gloves are required for dichloromethane?").run()
    assert "deleted in the meantime" in text_of(test)
    assert library.wiring.sessions.get(session) is None
    assert not [one for one in library.wiring.recorder.requests() if one.session_id == session]


def _disk_is_full(path, keep):
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def test_somebody_elses_conversation_is_read_by_admins_alone_and_continued_by_nobody(open_page, library, monkeypatch):
    history = library.wiring.sessions.history
    logged_in(monkeypatch, "Ada", "ask", "key-a")
    test = ask(open_page)
    session = session_of(test)
    assert "belongs to somebody else" not in text_of(test)
    assert library.wiring.sessions.get(session).owner == "key-a"

    logged_in(monkeypatch, "Ben", "ask", "key-b")
    other = open_page(session=session, question=UNKNOWN)
    says(text_of(other), "belongs to somebody else", f"This link asks: **{UNKNOWN}**")
    assert "between 0.4 and 0.6 metres per second" not in text_of(other)
    button(other, "Ask this").click().run()
    assert len(history(session)) == 1

    logged_in(monkeypatch, "Cleo", "admin", "key-c")
    test = open_page(session=session)
    says(text_of(test), "belongs to somebody else", KNOWN)
    assert not [one for one in test.button if one.label in ("Delete conversation", "Continue this one")]
    test.chat_input[0].set_value(UNKNOWN).run()
    assert len(history(session)) == 1
    assert session_of(test) != session
    assert KNOWN not in [one.value for one in test.markdown]


def test_the_link_of_a_question_carries_its_settings_and_begins_another_conversation(open_page, library):
    sent = {"top_k": "3", "similarity_threshold": "0.2", "document": "textbook.md", "estimator": "Mean similarity",
            "confidence_threshold": "0.35", "no_llm": "true", "max_tokens": "321", "temperature": "0.7",
            "mode": "Chapter first", "chapter": "2"}  # fmt: skip
    test = ask(open_page, KNOWN, **sent)
    answer = test.session_state["ask_turns"][-1]
    assert {hit.document for hit in answer.retrieved} <= {"textbook.md"}
    assert (answer.gate.estimator, answer.query.top_k) == ("mean_similarity", 3)
    session = test.query_params["session"]
    (address,) = [str(code.value) for code in test.code if "question=" in str(code.value)]
    given = dict(parse_qsl(urlsplit(address).query))
    assert "session" not in given
    assert given == {**sent, "question": KNOWN}

    other = open_page(**given)
    assert f"This link asks: **{KNOWN}**" in text_of(other)
    assert "Quoted word for word" not in text_of(other)  # it is asked only when the person says so
    button(other, "Ask this").click().run()
    assert other.query_params["session"] != session
    asked = library.wiring.recorder.requests(limit=2)
    one, two = [library.wiring.recorder.read_answer(each.request_id).query for each in asked]
    volatile = {"query_id", "request_id", "timestamp", "session_id"}
    assert one.model_dump(exclude=volatile) == two.model_dump(exclude=volatile)
    assert one.session_id != two.session_id


def test_the_menu_leads_away_from_a_conversation_and_back_to_it_but_a_link_that_asks_begins_anew(open_page):
    test = ask(open_page)
    session = test.query_params["session"]
    by_the_menu(test, "documents")
    assert "session" not in test.query_params
    by_the_menu(test, "ask")
    assert "between 0.4 and 0.6 metres per second" in text_of(test)
    assert test.query_params["session"] == session

    by_the_menu(test, "documents")
    by_the_menu(test, "ask", question=UNKNOWN)
    assert f"This link asks: **{UNKNOWN}**" in text_of(test)
    assert "session" not in test.query_params
    button(test, "Ask this").click().run()
    assert test.query_params["session"] != session
    assert KNOWN not in [one.value for one in test.markdown]

    button(test, "New question").click().run()
    by_the_menu(test, "documents")
    by_the_menu(test, "ask")
    assert "4 documents are indexed" in text_of(test)
    assert "session" not in test.query_params


def by_the_menu(test, page, **parameters):
    """Go to a page as the menu does: nothing of the address is kept, only what is given."""
    test.switch_page(f"pages/{page}.py")
    test.query_params.clear()
    for name, value in parameters.items():
        test.query_params[name] = value
    test.run()


def test_a_mode_that_needs_a_chapter_asks_for_it_before_anything_is_typed(open_page):
    test = open_page(mode="Chapter first", question=KNOWN)
    assert test.chat_input[0].disabled
    assert test.chat_input[0].placeholder == "Choose a chapter under “Chapter first”, or look everywhere"
    button(test, "Ask this").click().run()
    assert "Choose a chapter under “Chapter first”, or look everywhere, in the line above the input." in text_of(test)
    assert "session" not in test.query_params
    next(box for box in test.selectbox if box.key == "mode").select("book-wide").run()
    assert not test.chat_input[0].disabled
    button(test, "Ask this").click().run()
    assert "between 0.4 and 0.6 metres per second" in text_of(test)


def test_a_question_that_is_not_valid_begins_no_conversation_and_is_kept(open_page):
    test = ask(open_page, "??")
    assert "ask with at least 3" in text_of(test)
    assert "session" not in test.query_params
    test.run()
    assert "Not answered yet: **??**" in text_of(test)
    test.session_state["ask_tried"] = UNKNOWN  # as where another page was chosen before its answer came
    assert f"Not answered yet: **{UNKNOWN}**" in text_of(test.run())


def test_a_thumb_that_is_taken_back_counts_no_more_and_is_not_shown_again(open_page, library):
    test = ask(open_page)
    request_id = request_of(test)
    test.feedback[0].set_value(1).run()
    assert library.wiring.recorder.verdict(request_id) == "good"
    assert open_page(session=session_of(test)).feedback[0].value == 1
    test.feedback[0].set_value(None).run()
    assert library.wiring.recorder.verdict(request_id) is None
    assert [toast.value for toast in test.toast] == ["Removed: your rating no longer counts."]
    lines = (library.settings.data_dir / "feedback.jsonl").read_text().count(request_id)
    again = open_page(session=session_of(test))
    assert again.feedback[0].value is None
    assert (library.settings.data_dir / "feedback.jsonl").read_text().count(request_id) == lines == 2


@pytest.mark.parametrize("session", ["3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e", "half-a-link"])
def test_a_link_to_a_conversation_that_is_not_here_says_so(open_page, session):
    gone = "The conversation of this link does not exist"
    assert gone in text_of(open_page(session=session))
    assert gone not in text_of(open_page())


def test_feedback_on_an_answer_that_was_removed_meanwhile_is_not_kept(open_page, library):
    test = ask(open_page)
    delete_conversation(library, session_of(test))
    test.feedback[0].set_value(1).run()
    assert library.wiring.recorder.verdict(request_of(test)) is None


def test_the_link_of_an_answer_leads_to_it_as_it_was_recorded(open_page):
    test = ask(open_page)
    (address,) = [str(code.value) for code in test.code if "session=" in str(code.value)]
    assert address.endswith(f"&request_id={request_of(test)}")
    assert "It opens for everybody who has it and can reach this server." in text_of(test)
    before = len([*resources.get_report().requests(limit=500).itertuples()])
    again = open_page(**dict(parse_qsl(urlsplit(address).query)))
    assert "between 0.4 and 0.6 metres per second" in text_of(again)
    assert len([*resources.get_report().requests(limit=500).itertuples()]) == before  # nothing was asked


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
    with notes(tmp_path, vale="# Vale\n\nThe lighthouse of Vale is guarded by Ivo Brandt.\n") as candor:
        test = open_over(candor)(confidence_threshold="0.1")
        dropped_on(test, monkeypatch, "orsk.md", "# Orsk\n\nOrsk is guarded by Marta Lind.\n", "Who guards Orsk?")
        ended("ingest")
        test.run()  # as the page does once they are added
        assert {one.document for one in candor.documents()} == {"vale.md", "orsk.md"}
        assert "1 added, 0 failed" in text_of(test)
        assert "guarded by Marta Lind" in test.session_state["ask_turns"][-1].answer

        before = {one.document: one.hash for one in candor.documents()}
        dropped_on(test, monkeypatch, "vale.md", "# Vale\n\nVale is guarded by Marta Lind.\n")
        assert "vale.md" in test.warning[0].value
        assert {one.document: one.hash for one in candor.documents()} == before
        button(test, "Replace them").click().run()
        ended("ingest")
        assert {one.document: one.hash for one in candor.documents()} != before


def test_what_was_checked_before_it_was_stopped_stays_and_the_question_is_offered_again(open_page):
    test, text = open_page(), "Gloves are worn."
    checked = GroundedSentence(text=text, supported=True, support=0.9, passages=(1,), evidence=(text,))
    test.session_state["ask_tried"] = test.session_state["ask_stopped"] = UNKNOWN  # as the button Stop leaves it
    test.session_state["ask_checked"] = ((checked,), 1, "req_1")
    said = text_of(test.run())
    says(said, f"This question was stopped: **{UNKNOWN}**", text, "Left out so far: 1")


def test_a_summary_was_not_judged_and_names_no_confidence(open_page):
    said = text_of(ask(open_page, "Summarise textbook.md"))
    assert "Quoted word for word" in said
    assert "sure (" not in said
