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


def test_heads_of_columns_do_not_come_closest_and_a_row_says_what_its_columns_are():
    assert best_sentence(marked(TIMES, 0)) == 1
    assert closest(hit("| Subject | Year 9 and 10 |\n| --- | --- |"))[0].excerpt == "| Subject | Year 9 and 10 |"
    (miss,) = closest(marked(TIMES, 2))
    assert miss.excerpt == miss.sentence == "| Choir | 90 minutes | score |"
    assert miss.stated == "Subject: Choir; Year 9 and 10: 90 minutes; Aids: score"


def test_three_passages_are_shown_in_their_order_with_their_readings_and_the_same_words_once():
    read = [hit(f"Rule {number}.", rank=number, readings=(number / 10,), marks=(0.5,)) for number in (1, 2, 4, 5)]
    again = hit("Rule 1.", rank=3)
    shown = closest(read[0], again, rest=tuple(read[1:]))

    assert [(miss.excerpt, miss.reading) for miss in shown] == [("Rule 1.", 0.1), ("Rule 2.", 0.2), ("Rule 4.", 0.4)]


@pytest.mark.parametrize(
    ("place", "excerpt", "start"),
    [
        (0, "It rains. Gloves are worn with acids. They are thrown away after use.", 0),
        (1, "It rains. Gloves are worn with acids. They are thrown away after use.", 0),
        (3, "Aprons hang by the door.", 70),  # a line by itself
    ],
)
def test_the_sentence_marked_most_comes_closest_with_its_neighbours_of_the_same_paragraph(place, excerpt, start):
    passage = marked(RULES, place)
    (miss,) = closest(passage)

    assert (best_sentence(passage), miss.sentence) == (place, passage.sentence_texts[place])
    assert (miss.excerpt, miss.start) == (excerpt, start)


@pytest.mark.parametrize(
    ("text", "excerpt"), [("y" * 900, "y" * 200), ("Wear gloves " * 40, "Wear gloves " * 16 + "Wear")]
)
def test_an_excerpt_has_at_most_200_characters_and_ends_with_a_whole_word(text, excerpt):
    assert [(miss.excerpt, miss.sentence) for miss in closest(hit(text))] == [(excerpt, excerpt)]


def test_an_excerpt_stands_on_its_own_page_and_in_its_own_section():
    text = "Gloves are worn.\n\nAprons are worn."
    places = {"page_starts": ((4, 18),), "section_starts": (SectionStart(offset=18, section="2 Body"),)}
    (first,), (second,) = (
        closest(marked(text, place, page=3, section="1 Hands").model_copy(update=places)) for place in (0, 1)
    )

    assert (first.excerpt, first.page, first.section) == ("Gloves are worn.", 3, "1 Hands")
    assert (second.excerpt, second.page, second.section) == ("Aprons are worn.", 4, "2 Body")
