"""Answers of before, whose sources changed since: it is said beside them and in what is copied; what else is copied."""

import pytest
import recorded
from seen import ask, button, notes, says, text_of

from dashboard import sources
from dashboard.readable import answer_markdown, answer_text, conversation_markdown
from dashboard.sources import marked_part

LIT = "The lantern of Orsk is lit by Marta Lind at dusk."
TEXT = f"# Lantern rules\n\n{LIT}\n\n# Oil\n\nIts oil is bought in Brenna every spring.\n"
QUESTION = "Who lights the lantern of Orsk at dusk?"


@pytest.fixture
def own(tmp_path):
    """A Candor over one note, which answers a question."""
    with notes(tmp_path / "data") as candor:
        write(candor, TEXT)
        yield candor


def write(candor, text, name="lantern.md"):
    """Put a note into the index, in place of the one of this name."""
    path = candor.settings.data_dir.parent / name
    path.write_text(text, encoding="utf-8")
    candor.ingest([path])


def answered(candor):
    """The answer that quotes who lights it."""
    answer = candor.ask(QUESTION, confidence_threshold=0.1)
    assert LIT in {one.excerpt for one in answer.citations}
    return answer


def became(candor, answer):
    """What became of the source that says who lights it."""
    found = sources.since(candor, answer)
    return {found.get(number, "as it was") for number, one in enumerate(answer.citations) if one.excerpt == LIT}


def test_a_later_edition_is_told_and_an_earlier_one_is_not(own):
    text, newer = TEXT, TEXT.replace("Marta Lind", "Ivo Brandt")
    own.forget("lantern.md")
    write(own, text, name="lantern_rules_2023.md")
    answer = answered(own)
    write(own, text.replace("Marta", "Maria"), name="lantern_rules_2021.md")
    assert became(own, answer) == {"as it was"}
    write(own, newer, name="lantern_rules_2024.md")
    assert became(own, answer) == {"superseded"}
    assert sources.notes(own, answer) == ["A later edition of lantern_rules_2023.md was indexed since."]
    of_2023 = own.ask(QUESTION.replace("?", " in the lantern rules of 2023?"), confidence_threshold=0.1)
    assert became(own, of_2023) == {"as it was"}  # asked with the later one there


def test_what_is_copied_and_exported_carries_the_note_and_draws_nothing_of_a_document(own):
    answer = answered(own)
    (first, *rest) = answer.sentences
    hostile = first.model_copy(update={"text": "See ![x](http://a.example/b) and <img src=c> at *once*."})
    copied = answer_markdown(answer.model_copy(update={"sentences": (hostile, *rest)}))
    assert r"See ![x\](http://a.example/b) and \<img src=c\> at \*once\*. [1]" in copied
    assert "Note:" not in copied
    own.forget("lantern.md")
    told = "**Who lights the lantern of Orsk at dusk?**\n\nNote: lantern.md is not indexed any more.\n\nThe lantern"
    assert answer_markdown(answer, sources.notes(own, answer)).startswith(told)
    assert told in conversation_markdown([answer], lambda one: sources.notes(own, one))


def test_pages_say_what_is_out_of_date_and_ask_answers_anew_from_what_is_indexed_now(own, open_over):
    open_page, answer = open_over(own), answered(own)
    refused = own.ask("When does the ferry to Brenna leave?", confidence_threshold=0.99)
    test = ask(open_page, QUESTION, confidence_threshold="0.1")
    assert "out of date" not in text_of(test)
    write(own, f"# Lantern\n\n{LIT.replace('Marta Lind', 'Ivo Brandt')}\n")
    test.run()
    assert [one.label for one in test.button].count("Ask again") == 1
    button(test, "Ask again").click().run()
    assert "Ivo Brandt" in text_of(test)
    assert [one.label for one in test.button].count("Ask again") == 1  # the new one is of now
    own.forget("lantern.md")
    told = text_of(open_page("inspector", request_id=answer.request_id))
    says(told, "lantern.md is not indexed any more. This answer uses the earlier text.",
         ":red-badge[:material/block: removed since]")  # fmt: skip
    assert "If you ask again, Candor may answer" in text_of(open_page("inspector", request_id=refused.request_id))


def test_an_unsure_question_is_exported_with_the_sentences_that_come_closest():
    text = answer_markdown(recorded.unsure(misses=2, message="These come closest:"))
    says(text, "Unsure. These come closest:", "- “Gloves of kind 2 are worn.” (manual.pdf · page 2)")
    assert marked_part("It is cold.", "Gloves are worn.") == "It is cold."  # what is not in it marks nothing


def test_what_is_copied_is_plain_text_and_a_list_keeps_its_lines():
    answer = recorded.answered()
    (one, *_) = answer.sentences
    said = [one.model_copy(update={"text": text}) for text in ("You bring *two* | three:", "- gloves > nitrile.")]
    copied = answer_text(answer.model_copy(update={"sentences": tuple(said)}))
    assert "You bring *two* | three: [1]\n- gloves > nitrile. [1]" in copied
    assert "\\" not in copied
