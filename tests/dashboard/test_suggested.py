"""Questions to begin with: made of headings, and only those that are answered from the passage that suggested them."""

from seen import notes, text_of

from dashboard.queries import chunks
from dashboard.suggested import Suggested, candidates, try_all, well_answered


def test_a_suggested_question_is_asked_with_a_click_and_none_is_shown_where_none_passed(open_over, tmp_path):
    more = "Nothing else is known of it.\n\n" * 40  # so that each section is a passage of its own
    sections = ("## Who guards Orsk?\n\nMarta Lind guards Orsk.", "## Who paints Orsk?\n\nOle Krag paints Orsk.")
    with notes(tmp_path, orsk="# Orsk\n\n" + "".join(f"{one}\n\n{more}" for one in sections)) as candor:
        try_all(candor, found := Suggested())
        assert found.questions == {"Who guards Orsk?": "orsk.md", "Who paints Orsk?": "orsk.md"}
        assert [*candor.wiring.recorder.requests()] == []
        candor.wiring.recorder.feedback(candor.ask("Does Marta Lind guard Orsk?").request_id, "good")
        candor.ask("Does Ole Krag paint Orsk?")
        assert well_answered(candor) == ["Does Marta Lind guard Orsk?"]
        try_all(candor, found := Suggested(), asked=well_answered(candor))
        assert next(iter(found.questions)) == "Does Marta Lind guard Orsk?"
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


def test_headings_that_name_what_their_section_speaks_of_become_questions_and_no_others(tmp_path):
    more = "Nothing else is known of it.\n\n" * 40
    sections = {
        "2.1 Paid Leave": "In Iceland all leave is paid to everybody.",
        "Iceland": "Travel to Iceland needs a permit.",
        "Introduction": "This text was written in May.",  # says nothing of an introduction
        "Before you leave": "Say when you leave.",  # fits into no frame
        "Appendix 2 – Travel": "Appendix 2 lists travel.",  # more than one name
        "How do I pay?": "At the desk.",
    }
    text = "# Rules\n\n" + "".join(f"## {head}\n\n{text}\n\n{more}" for head, text in sections.items())
    with notes(tmp_path, rules=text) as candor:
        found = dict(candidates(chunks(candor, "rules.md")))
        assert [*found] == [
            "How do I pay?", "What should I know about paid leave?", "What should I know about Iceland?"
        ]  # fmt: skip
        assert len(candidates(chunks(candor, "rules.md"), most=2)) == 2
        try_all(candor, suggested := Suggested())
        assert "What should I know about Iceland?" in suggested.questions
