"""The page Inspect: the list of requests, everything about one of them, and other settings."""

import recorded
from seen import KNOWN, UNKNOWN, button, part, says, table_with, text_of


def id_of(library, question):
    """The first time that it was asked: later, other tests ask it with other settings."""
    *_, first = (one.request_id for one in library.wiring.recorder.requests() if one.question == question)
    return first


def test_requests_are_listed_and_filtered_by_outcome_and_talk_opens_as_what_was_said(open_page, library):
    said = recorded.talk(77)
    library.wiring.recorder.answer(said)
    assert {KNOWN, UNKNOWN} <= set(open_page("inspector", part="Requests").dataframe[0].value["question"])
    assert set(open_page("inspector", outcome="Refused").dataframe[0].value["outcome"]) == {"refused"}
    listed = open_page("inspector", outcome="Talk").dataframe[0].value
    assert set(listed["outcome"]) == {"talk"}
    assert said.request_id in listed["request_id"].tolist()
    test = open_page("inspector", request_id=said.request_id)
    says(text_of(test), "Outcome talk", str(said.message))
    assert "Nothing was searched." in text_of(part(test, "Passages"))
    library.wiring.recorder.forget([said.request_id])


def test_a_request_is_opened_by_the_id_in_the_url(open_page, library):
    request_id = id_of(library, KNOWN)
    test = open_page("inspector", request_id=request_id)
    says(text_of(test), request_id, "Outcome answered", "Threshold 0.50")
    assert ":blue-badge[quoted]" in text_of(part(test, "Sentences"))
    components = set(table_with(part(test, "Stages"), "component")["component"])
    assert {"validation", "embedding", "retrieval", "gate", "generation", "grounding"} <= components
    settings = table_with(part(test, "Settings"), "Setting").set_index("Setting")["Value"]
    assert settings["passages"] == "5"
    assert set(table_with(test, "Fingerprint")["Part"]) == {"embedding", "index", "settings", "gate", "prompt"}
    part(test, "Passages")
    assert [one for one in test.markdown if "-background[" in one.value and "0.4 and 0.6 metres" in one.value]


def test_a_source_opens_beside_the_answer_and_is_closed(open_page, library):
    request_id = id_of(library, KNOWN)
    test = open_page("inspector", request_id=request_id)
    test.session_state["opened_source"] = (request_id, 1)  # as a click on its number says
    says(text_of(test.run()), "**Source 1**", "the excerpt is framed")
    button(test, "Close").click().run()
    assert "**Source 1**" not in text_of(test)


def test_what_is_not_recorded_any_more_or_never_was_is_said(open_page, library):
    answer = library.ask("Which hood is tested with a strip of tissue?")
    library.wiring.recorder.forget([answer.request_id])
    says(text_of(open_page("inspector", request_id=answer.request_id)), answer.request_id,
         "Only its log lines are kept")  # fmt: skip
    assert "Check the id" in text_of(open_page("inspector", request_id="req_20260101_000000000000"))
    test = open_page("inspector", part="Requests")
    assert "No request here" in text_of(test.text_input(key="text").set_value("no such words").run())


def test_why_was_this_not_found_names_the_ranks(open_page, library):
    test = part(open_page("inspector", request_id=id_of(library, UNKNOWN)), "Not found?")
    test.selectbox(key="why_document").set_value("travel_policy.docx")
    button(test, "Explain").click().run()
    assert "rank" in text_of(test)
    assert table_with(test, "by_similarity")["by_similarity"].notna().all()


def test_other_settings_show_what_came_went_and_moved_and_are_no_traffic(open_page, library):
    log = library.wiring.recorder.log_path
    test = part(open_page("inspector", request_id=id_of(library, KNOWN)), "What if?")
    before = (log.read_bytes(), len([*library.wiring.recorder.requests()]))
    test.slider(key="again_top_k").set_value(2)
    button(test, "Compare").click().run()
    says(text_of(test), "Under these settings", "What a model would write is **not known**")
    assert text_of(test).count("between 0.4 and 0.6 metres per second") >= 2  # as recorded, and as it would be quoted
    assert list(table_with(test, "change")["change"]) == ["same", "same", "went", "went", "went"]
    assert (log.read_bytes(), len([*library.wiring.recorder.requests()])) == before
    library.pipeline.retrieve(library.pipeline.query(KNOWN))
    assert log.read_bytes() != before[0]  # what programs retrieve is


def test_what_retrieval_dropped_is_listed_with_its_reason(open_page, library):
    question = "Which gloves are required for dichloromethane?"
    answer = library.ask(question, similarity_threshold=0.3, filters={"source": "safety_manual.pdf"})
    test = part(open_page("inspector", request_id=answer.request_id), "Passages")
    outside = sum(record.chunks for record in library.documents() if record.document != "safety_manual.pdf")
    says(text_of(test), f"The filters kept out {outside} passages of the index.",
         f"{answer.cuts.threshold} below the similarity threshold")  # fmt: skip
    dropped = table_with(test, "why")
    assert len(dropped) == len(answer.retrieved) - 5 + len(answer.cuts.listed)
    assert set(dropped["document"]) == {"safety_manual.pdf"}
    assert 0 <= dropped.loc[dropped["why"] == "similarity below 0.30", "similarity"].max() < 0.3
