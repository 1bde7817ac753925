"""Questions to begin with: of the documents, and only those that are answered from the passage that suggested them."""

from seen import notes, text_of

from dashboard import suggested
from dashboard.queries import chunks
from dashboard.suggested import try_questions, well_answered
from rag.asking.suggesting import candidates


def test_a_suggested_question_is_asked_with_a_click_and_none_is_shown_where_none_passed(open_over, tmp_path):
    more = "Nothing else is known of it.\n\n" * 40  # so that each section is a passage of its own
    sections = ("## Who guards Orsk?\n\nMarta Lind guards Orsk.", "## Who paints Orsk?\n\nOle Krag paints Orsk.")
    with notes(tmp_path, orsk="# Orsk\n\n" + "".join(f"{one}\n\n{more}" for one in sections)) as candor:
        try_questions(candor, found := {})
        assert found == {"Who guards Orsk?": "orsk.md", "Who paints Orsk?": "orsk.md"}
        assert [*candor.wiring.recorder.requests()] == []
        candor.wiring.recorder.feedback(candor.ask("Does Marta Lind guard Orsk?").request_id, "good")
        candor.ask("Does Ole Krag paint Orsk?")
        assert well_answered(candor) == ["Does Marta Lind guard Orsk?"]
        try_questions(candor, found := {}, asked=well_answered(candor))
        assert next(iter(found)) == "Does Marta Lind guard Orsk?"
        test = open_over(candor)()
        for _ in range(50):
            if (tmp_path / "suggested.json").exists():
                break
            test.run()
        test.run()
        next(one for one in test.button if one.label == "Who guards Orsk?").click().run()
        assert test.session_state["ask_turns"][-1].query.question == "Who guards Orsk?"
        suggested = [one.label for one in test.button if one.key.startswith("suggested-")]
        assert suggested == ["Does Marta Lind guard Orsk?", "Who paints Orsk?"]
        (tmp_path / "suggested.json").unlink()
        candor.forget("orsk.md")
        candor.ingest_bytes("vale.md", b"Nothing is said below no heading.\n")
        assert "Try one of these" not in text_of(open_over(candor)())


def test_a_document_suggests_what_it_asks_and_what_the_form_of_its_headings_allows_to_ask(tmp_path):
    more = "Nothing else is known of it.\n\n" * 40
    sections = {
        "2.1 Paid Leave": "In Iceland all leave is paid to everybody.",
        "Iceland": "Travel to Iceland needs a permit.",
        "Permit": "The permit is a card of paper.",  # says what it is
        "Book a cabin": "Book a cabin in May.",
        "Reporting thefts": "Reporting thefts is a duty.\n\nQ: Who is told of a theft?\n\nThe desk.",
        "Introduction": "This text was written in May.",  # says nothing of an introduction
        "Before you leave": "Say when you leave.",  # fits into no frame
        "Appendix 2 – Travel": "Appendix 2 lists travel.",  # more than one name
        "How do I pay?": "At the desk, as these rules say.",
    }
    text = "# Rules\n\n" + "".join(f"## {head}\n\n{text}\n\n{more}" for head, text in sections.items())
    with notes(
        tmp_path, rules=text, guide=f"# Travel Guide\n\n## Iceland\n\nThis guide tells of Iceland.\n\n{more}"
    ) as candor:
        assert [question for question, _ in candidates(chunks(candor, "rules.md"))] == [
            "Who is told of a theft?", "How do I pay?", "What do the documents say about paid leave?",
            "What do the documents say about Iceland?", "What is the permit?", "How do I book a cabin?",
            "How do I go about reporting thefts?",
        ]  # fmt: skip
        assert len(candidates(chunks(candor, "rules.md"), most=2)) == 2
        assert [one for one, _ in candidates(chunks(candor, "guide.md"))] == [
            "What does the Travel Guide say about Iceland?"
        ]
        try_questions(candor, found := {})
        assert found["What is the permit?"] == "rules.md"


def test_questions_are_tried_anew_once_what_answers_them_has_changed(tmp_path, monkeypatch):
    kept = []
    monkeypatch.setattr(suggested, "_suggested", lambda _, fingerprint, **__: kept.append(fingerprint))
    with notes(tmp_path, orsk="# Orsk\n\nMarta Lind guards Orsk.\n") as candor:
        wiring, put = candor.wiring, monkeypatch.setattr
        stricter = wiring.settings.model_copy(update={"confidence_threshold": 0.9})
        for change in (
            lambda: None,
            lambda: candor.ingest_bytes("vale.md", b"# Vale\n\nOle Krag guards Vale.\n"),
            lambda: monkeypatch.setitem(vars(wiring), "settings", stricter),
            lambda: put(type(wiring.estimators["max_similarity"]), "fingerprint", "another"),
            lambda: put(wiring.reader, "name", "another"),
            lambda: put(suggested, "code_version", lambda: "another"),
        ):
            change()
            suggested._suggested_now(candor)
            suggested._suggested_now(candor)
    assert len({*kept}) == 6
