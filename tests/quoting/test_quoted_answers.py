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


def test_what_is_said_of_another_class_is_not_replaced_by_a_sentence_on_another_matter(library):
    text = (
        "Repairs of class D need a boil-water notice for the street.\n\n"
        "The street is swept on Mondays. The main is flushed in May after repairs."
    )
    answer = ask(library, "Is a boil-water notice needed for repairs of class C?", text)

    assert answer.answer is None
    assert "class D" in answer.gate.nearest_misses[0].excerpt


def test_what_is_said_of_the_class_asked_for_is_quoted_beside_the_others(library):
    text = "Repairs of class D need a boil-water notice. Repairs of class C need a boil-water notice for a day."

    assert ask(library, "Is a boil-water notice needed for repairs of class C?", text).answer == (
        "Repairs of class C need a boil-water notice for a day."
    )


def test_sentences_that_differ_in_a_number_do_not_pass_for_the_same(library):
    text = "The package is paid in four instalments.\n\nThe package is paid in six instalments."
    said = ask(library, "In how many instalments is the package paid?", text).answer

    assert "four" in said
    assert "six" in said


def test_the_next_sentence_is_quoted_where_it_says_more_of_what_was_asked(library):
    text = (
        "The consent form must be signed by an owner aged 18 or over. If the owner cannot be reached, two surgeons may "
        "sign the form. The form is green. Forms are kept for six years in the cellar."
    )
    answer = ask(library, "Who can sign the consent form if the owner cannot be reached?", text)

    assert "two surgeons may sign the form" in answer.answer
    assert "green" not in answer.answer


def test_two_questions_at_once_are_both_answered_or_one_is_told_to_be_open(library):
    text = "The hut is open from 20 June to 4 October. It is painted green. In summer the hut has 64 places."
    answer = ask(library, "When is the hut open and how many places does it have?", text)
    assert answer.answer == "The hut is open from 20 June to 4 October. In summer the hut has 64 places."
    assert not [note for note in answer.notes if "leave open" in note]

    answer = ask(library, "When is the hut open and how much is a berth?", text)
    assert [note for note in answer.notes if "leave open" in note] == [
        "The answer may leave open a part of the question: “how much is a berth?”"
    ]
