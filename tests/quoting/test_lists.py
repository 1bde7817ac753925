"""An item brings the words above its list, those words all items, and what is left out of a list is told."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import AnswerSentence, Query, RetrievedChunk
from rag.quoting.layout import layout_of
from rag.quoting.lists import list_notes, one_item_a_line

VISITS = (
    "Visitors sign in at the gate.\n\nDo not come if you have:\n- been in contact with measles within 21 days.\n"
    "- a rash that no doctor has seen.\n- a fever.\n\nFlowers are given to the porter."
)


def answer(question: str, *hits: RetrievedChunk, max_sentences: int = 3) -> str:
    query = Query(question=question)
    return extract(query, hits, document_frequency=lambda _: {}, indexed=9, max_sentences=max_sentences).text


def shown(*texts: str) -> list[AnswerSentence]:
    return [AnswerSentence(text=text, support=1.0, citations=(0,)) for text in texts]


def test_an_item_is_quoted_below_the_words_above_its_list():
    assert answer("May I visit after contact with measles?", hit(VISITS)) == (
        "Do not come if you have: [1] - been in contact with measles within 21 days. [1]"
    )


def test_a_second_item_brings_the_words_above_the_list_and_not_the_item_before():
    assert answer("May I come with a rash?", hit(VISITS)) == (
        "Do not come if you have: [1] - a rash that no doctor has seen. [1]"
    )


def test_whole_sentences_below_words_that_forbid_keep_their_bullets_beside_them():
    text = "Researchers must not:\n* Damage the pumps.\n* Open the vents."

    assert answer("What about the vents?", hit(text)) == "Researchers must not: [1] * Open the vents. [1]"


def test_an_item_of_a_list_that_nothing_announces_stands_alone():
    text = "The crew is told on deck.\n\n- The cook switches off the stove.\n- The purser takes the list."

    assert answer("Who switches off the stove?", hit(text)) == "The cook switches off the stove. [1]"


def test_all_items_of_a_list_count_as_one_sentence():
    items = [f"- bring tool number {number}" for number in range(1, 8)]
    text = "For the work day the members:\n" + "\n".join(items)
    found = answer("What do members do for the work day?", hit(text), max_sentences=2)

    assert found == " ".join(f"{line} [1]" for line in text.split("\n"))


def test_a_list_is_whole_where_only_the_words_above_it_were_asked():
    """The words above the list say no more than the question; each item says what was not asked."""
    text = "Members bring to the work day:\n1. Gloves and boots.\n2. A spade.\n3. Something to drink."
    found = answer("What do members bring to the work day?", hit(text))

    assert found == " ".join(f"{line} [1]" for line in text.split("\n"))


def test_the_items_of_a_list_end_where_one_of_the_kind_of_its_announcement_follows():
    layout = layout_of(hit("1. Testers must not:\n* open vents\n* damage pumps\n2. Testers write a report."))

    assert [block.first for block in layout.list_below(0)] == [1, 2]
    assert [layout.head_of(index) for index in range(4)] == [None, 0, 0, None]


def test_an_item_of_several_sentences_is_whole():
    text = "Testers follow these rules:\n- Ask before you test. A letter is enough.\n- Keep a log."
    found = answer("Which rules do testers follow?", hit(text))

    assert "A letter is enough. [1] - Keep a log." in found


def test_a_list_goes_on_in_the_next_passage():
    first = hit("The members bring:\n- gloves\n- a spade")
    second = hit("- a drink\n\nThe gate opens at nine.", rank=2).model_copy(
        update={"start": first.end + 1, "end": first.end + 40}
    )

    assert answer("What do the members bring?", first, second) == (
        "The members bring: [1] - gloves [1] - a spade [1] - a drink [2]"
    )


def test_of_a_list_of_fifteen_twelve_are_quoted_and_a_note_tells_of_three():
    lines = ["The members bring:", *(f"- tool number {number}" for number in range(1, 16))]
    passage = hit("\n".join(lines))

    assert answer("What do the members bring?", passage).count("- tool") == 12
    assert list_notes(shown(*lines[:13]), [passage]) == ("The list quoted goes on in the source: 3 more items.",)
    assert list_notes(shown(*lines), [passage]) == ()


def test_nothing_is_noted_where_one_item_was_asked_for():
    assert list_notes(shown("Do not come if you have:", "- a fever."), [hit(VISITS)]) == ()


@pytest.mark.parametrize(("last", "is_told"), [("- a spade,", True), ("- a spade and", True), ("- a spade.", False)])
def test_a_list_that_its_passage_cuts_off_is_told(last, is_told):
    notes = list_notes(shown("You bring:", "- gloves,", last), [hit(f"You bring:\n- gloves,\n{last}")])

    assert notes == (("The list quoted goes on in the source.",) if is_told else ())


def test_items_stand_on_lines_of_their_own_and_sentences_follow_each_other():
    said = one_item_a_line(["It is closed.", "You bring:", "- gloves,", "- a spade.", "It rains.", "It is cold."])

    assert said == "It is closed. You bring:\n- gloves,\n- a spade.\nIt rains. It is cold."
    assert one_item_a_line([]) == ""


AIMS = (
    "By the end of this section, you will be able to:\n* Describe the structure of the lock gate\n"
    "* Explain who opens it\n\nA gate of oak planks turns on an iron post. The keeper opens it at high water."
)


def test_what_a_pupil_is_to_describe_is_no_description():
    assert answer("Describe the structure of the lock gate.", hit(AIMS), max_sentences=1) == (
        "A gate of oak planks turns on an iron post. [1]"
    )


def test_the_aims_themselves_are_quoted_to_whoever_asks_for_them():
    found = answer("What will you be able to do by the end of this section?", hit(AIMS))

    assert "* Describe the structure of the lock gate [1] * Explain who opens it [1]" in found


def test_an_instruction_that_is_no_aim_is_quoted():
    text = "After an accident staff must:\n* Describe the damage in the log book\n* Call the keeper"

    assert "Describe the damage in the log book" in answer("What must staff describe in the log book?", hit(text))


@pytest.mark.parametrize(
    ("row", "quoted"),
    [
        ("| Changes of the water level in the lock: |", False),
        ("| Lock the gate before the water level changes. |", True),
        ("| Water level of the lock: 4 m |", True),
    ],
)
def test_a_row_with_one_cell_is_quoted_where_it_says_something(row, quoted):
    found = answer("What about the water level in the lock?", hit(f"{row}\n| Spring | 3 m |\n| Autumn | 5 m |"))

    assert (row.strip("| ") in found) is quoted
