"""What a refusal shows: the sentence of each passage that comes closest, verbatim and where it stands."""

import pytest
from passages import hit

from rag.models import Retrieval, SectionStart
from rag.ranking.closest import best_sentence, nearest_misses

TIMES = "| Subject | Year 9 and 10 | Aids |\n| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |"
RULES = "It rains. Gloves are worn with acids. They are thrown away after use.\nAprons hang by the door."


def closest(*hits, rest=()):
    return nearest_misses(Retrieval(hits=hits, rest=rest))


def marked(text, place, **options):
    """A passage that was read, of which one sentence is marked."""
    bare = hit(text, **options)
    marks = [0.1] * len(bare.sentences)
    marks[place] = 0.6
    return bare.model_copy(update={"window_readings": (0.3,) * len(bare.windows), "marks": tuple(marks)})


# --- which sentence ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_the_sentence_marked_most_comes_closest(place):
    passage = marked(RULES, place)

    assert best_sentence(passage) == place
    assert closest(passage)[0].sentence == passage.sentence_texts[place]


def test_a_mark_outside_the_best_window_does_not_count():
    passage = hit(RULES, cut=(2, 2), cosines=(0.9, 0.1), readings=(0.2, 0.4), marks=(0.9, 0.9, 0.1, 0.3))

    assert best_sentence(passage) == 3


def test_where_nothing_was_read_it_is_the_first_sentence_of_the_most_similar_window():
    assert best_sentence(hit(RULES, cut=(2, 2), cosines=(0.1, 0.4))) == 2
    assert best_sentence(hit(RULES, cut=(2, 2), cosines=(0.4, 0.1))) == 0


def test_heads_of_columns_do_not_come_closest():
    assert best_sentence(marked(TIMES, 0)) == 1
    assert closest(hit("| Subject | Year 9 and 10 |\n| --- | --- |"))[0].excerpt == "| Subject | Year 9 and 10 |"


# --- which passages ---------------------------------------------------------------------------------------------------


def test_three_passages_are_shown_in_their_order_with_their_readings():
    passages = [hit(f"Rule {number}.", rank=number, readings=(number / 10,), marks=(0.5,)) for number in (1, 2, 3, 4)]
    shown = closest(*passages[:2], rest=tuple(passages[2:]))

    assert [(miss.chunk_id, miss.excerpt, miss.reading) for miss in shown] == [
        ("chunk-1", "Rule 1.", 0.1),
        ("chunk-2", "Rule 2.", 0.2),
        ("chunk-3", "Rule 3.", 0.3),
    ]


def test_what_two_passages_have_in_the_same_words_is_shown_once():
    passages = [hit("Ask the office."), hit("Ask the office.", rank=2), *(hit(f"Rule {n}.", rank=n) for n in (3, 4))]

    assert [miss.excerpt for miss in closest(*passages)] == ["Ask the office.", "Rule 3.", "Rule 4."]


def test_where_nothing_was_found_nothing_is_shown():
    assert closest() == ()


def test_a_passage_that_was_not_read_has_no_reading():
    assert closest(hit("Rule 1."))[0].reading is None


# --- how much of it ---------------------------------------------------------------------------------------------------


def test_neighbours_of_the_same_paragraph_are_shown_with_the_sentence():
    (miss,) = closest(marked(RULES, 1))

    assert miss.excerpt == "It rains. Gloves are worn with acids. They are thrown away after use."
    assert (miss.sentence, miss.start) == ("Gloves are worn with acids.", 0)


def test_a_line_by_itself_is_shown_alone():
    (miss,) = closest(marked(RULES, 3))

    assert (miss.excerpt, miss.sentence, miss.start) == ("Aprons hang by the door.",) * 2 + (70,)


LONG = "Gloves are worn with every acid that is stored in the cabinet under the window of the laboratory, always."
"""Two such sentences are longer than an excerpt."""


def test_a_neighbour_that_does_not_fit_is_left_out():
    assert closest(marked(f"{LONG} Aprons hang there. {LONG}", 1))[0].excerpt == f"Aprons hang there. {LONG}"
    assert closest(marked(f"{LONG} {LONG}", 1))[0].excerpt == LONG


@pytest.mark.parametrize(
    ("text", "excerpt"), [("y" * 900, "y" * 200), ("Wear gloves " * 40, "Wear gloves " * 16 + "Wear")]
)
def test_an_excerpt_has_at_most_200_characters_and_ends_with_a_whole_word(text, excerpt):
    (miss,) = closest(hit(text))

    assert miss.excerpt == miss.sentence == excerpt


def test_an_excerpt_stands_on_its_own_page_and_in_its_own_section():
    text = "Gloves are worn.\n\nAprons are worn."
    places = {"page_starts": ((4, 18),), "section_starts": (SectionStart(offset=18, section="2 Body"),)}
    (first,), (second,) = (
        closest(marked(text, place, page=3, section="1 Hands").model_copy(update=places)) for place in (0, 1)
    )

    assert (first.excerpt, first.page, first.section) == ("Gloves are worn.", 3, "1 Hands")
    assert (second.excerpt, second.page, second.section) == ("Aprons are worn.", 4, "2 Body")


def test_a_sentence_is_shown_without_its_neighbour_on_the_next_page():
    over = marked("Gloves are worn. Aprons too.", 0, page=3).model_copy(update={"page_starts": ((4, 17),)})

    assert (closest(over)[0].excerpt, closest(over)[0].page) == ("Gloves are worn.", 3)


def test_of_a_sentence_over_two_pages_the_longer_part_is_shown():
    told = "Skates are lent by the hour for three euros and to members for two, as the list says that the board renews."
    over = hit(told, page=3).model_copy(update={"page_starts": ((4, told.index("for three")),)})
    (miss,) = closest(over)

    assert miss.excerpt == miss.sentence == told[told.index("for three") :]
    assert miss.page == 4


def test_without_a_section_the_chapter_is_named():
    under = hit("Gloves.").model_copy(update={"chapter": 6, "chapter_title": "What the crew does"})

    assert closest(under)[0].part == "chapter 6 What the crew does"


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_row_says_what_its_columns_are():
    (miss,) = closest(marked(TIMES, 2))

    assert miss.excerpt == miss.sentence == "| Choir | 90 minutes | score |"
    assert miss.stated == "Subject: Choir; Year 9 and 10: 90 minutes; Aids: score"


def test_a_row_whose_heads_are_not_known_and_a_sentence_state_nothing_more():
    rows = "| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |"

    assert [miss.stated for miss in closest(hit(rows), hit("It rains.", rank=2))] == ["", ""]


def test_of_a_long_row_the_beginning_is_shown():
    row = f"| Skates | {'by the hour or the day ' * 10}| the board renews the list |"
    (miss,) = closest(marked(f"| Thing | Lent | List |\n| --- | --- | --- |\n{row}", 2))

    assert miss.excerpt.startswith("| Skates | by the hour")
    assert miss.stated.endswith("the board renews the list")
