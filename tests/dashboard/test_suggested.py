"""Questions to begin with: from headings, and only those that are answered from the passage that suggested them."""

from collections.abc import Callable
from pathlib import Path

from seen import Open, text_of, word_reader

from dashboard.suggested import KEPT, Suggested, try_all
from rag.candor import Candor


def test_only_what_is_answered_from_its_own_place_is_suggested_and_nothing_of_it_is_recorded(library: Candor) -> None:
    asked, found = len([*library.wiring.recorder.requests()]), Suggested()
    try_all(library, found)
    assert 1 <= len(found.questions) <= KEPT
    assert len([*library.wiring.recorder.requests()]) == asked
    for question, document in found.questions.items():
        answer = library.ask(question)
        assert answer.outcome == "answered"
        assert document in {one.document for one in answer.citations}


def test_a_suggested_question_is_asked_with_a_click_and_none_is_shown_where_none_passed(
    open_over: Callable[[Candor], Open], tmp_path: Path
) -> None:
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9", estimator="max_similarity") as candor:
        candor.wiring.reader = word_reader()
        more = "Nothing else is known of it.\n\n" * 40  # so that each section is a passage of its own
        sections = ("## Who guards Orsk?\n\nMarta Lind guards Orsk.", "## Who paints Orsk?\n\nOle Krag paints Orsk.")
        text = "# Orsk\n\n" + "".join(f"{one}\n\n{more}" for one in sections)
        candor.ingest_bytes("orsk.md", text.encode())
        try_all(candor, found := Suggested())
        assert found.questions == {"Who guards Orsk?": "orsk.md", "Who paints Orsk?": "orsk.md"}
        test = open_over(candor)()
        for _ in range(50):
            if (tmp_path / "suggested.json").exists():
                break
            test.run()
        test.run()
        next(one for one in test.button if one.label == "Who guards Orsk?").click().run()
        assert test.session_state["ask_turns"][-1].query.question == "Who guards Orsk?"
        assert [one.label for one in test.button if one.key.startswith("suggested-")] == ["Who paints Orsk?"]
        (tmp_path / "suggested.json").unlink()
        candor.forget("orsk.md")
        candor.ingest_bytes("vale.md", b"Nothing is said below no heading.\n")
        assert "Try one of these" not in text_of(open_over(candor)())
