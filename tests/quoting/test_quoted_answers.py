"""What is quoted from a selected text, with the real model of embedding and the real check."""

import pytest

ITEMS = [f"- the blue tool number {number}," for number in range(1, 15)]
LISTED = "On the work day the members bring:\n" + "\n".join([*ITEMS, "- a drink."])
FAQ = (
    "1. Is the workshop heated?\n\nYes.\n\n2. Can the lathe cut brass?\n\nNot by itself, no. "
    "The saw in the yard cuts brass.\n\n3. Can the lathe cut oak?\n\nYes. It must be dry."
)


def ask(library, question: str, context: str):
    options = {"mode": "selected-text-only", "context": context, "confidence_threshold": 0.0, "no_llm": True}
    return library.pipeline.ask(library.pipeline.query(question, **options))


def test_a_long_list_stands_an_item_a_line_and_a_note_tells_of_the_rest(library):
    answer = ask(library, "What do the members bring on the work day?", LISTED)

    assert answer.answer == "\n".join(LISTED.split("\n")[:13])
    assert "The list quoted goes on in the source: 3 more items." in answer.notes
    assert all(LISTED[citation.start : citation.end] == citation.excerpt for citation in answer.citations)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Can the lathe cut brass?", "Not by itself, no. The saw in the yard cuts brass."),
        ("Can the lathe cut oak?", "Yes. It must be dry."),
    ],
)
def test_the_answer_to_the_question_asked_is_shown_supported_and_verbatim(library, question, said):
    answer = ask(library, question, FAQ)

    assert answer.answer == said
    assert answer.grounding.is_valid
    assert all(FAQ[citation.start : citation.end] == citation.excerpt for citation in answer.citations)
