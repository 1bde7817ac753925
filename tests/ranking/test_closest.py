"""What a refusal shows: the sentence of each passage that comes closest, verbatim and where it stands."""

import pytest
from passages import hit

from rag.models import Retrieval, SectionStart
from rag.ranking.closest import best_sentence, nearest_misses

TIMES = "| Subject | Year 9 and 10 | Aids |\n| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |"
RAIN = "It rains. Gloves are worn with acids. They are thrown away after use."
RULES = f"{RAIN}\nAprons hang by the door."


def closest(*hits, rest=()):
    return nearest_misses(Retrieval(hits=hits, rest=rest))


def marked(text, place, **options):
    """A passage that was read, of which one sentence is marked."""
    bare = hit(text, **options)
    marks = tuple(0.6 if number == place else 0.1 for number in range(len(bare.sentences)))
    return bare.model_copy(update={"window_readings": (0.3,) * len(bare.windows), "marks": marks})


def test_heads_of_columns_do_not_come_closest_and_a_row_says_what_its_columns_are():
    assert best_sentence(marked(TIMES, 0)) == 1
    assert closest(hit("| Subject | Year 9 and 10 |\n| --- | --- |"))[0].excerpt == "| Subject | Year 9 and 10 |"
    (miss,) = closest(marked(TIMES, 2))
    assert miss.excerpt == miss.sentence == "| Choir | 90 minutes | score |"
    assert miss.stated == "Subject: Choir; Year 9 and 10: 90 minutes; Aids: score"


def test_three_passages_are_shown_in_their_order_with_their_readings_and_the_same_words_once():
    read = [hit(f"Rule {number}.", rank=number, readings=(number / 10,), marks=(0.5,)) for number in (1, 2, 4, 5)]
    shown = closest(read[0], hit("Rule 1.", rank=3), rest=tuple(read[1:]))

    assert [(miss.excerpt, miss.reading) for miss in shown] == [("Rule 1.", 0.1), ("Rule 2.", 0.2), ("Rule 4.", 0.4)]


@pytest.mark.parametrize(
    ("text", "place", "excerpt", "start"),
    [
        (RULES, 0, RAIN, 0),
        (RULES, 1, RAIN, 0),
        (RULES, 3, "Aprons hang by the door.", 70),  # a line by itself
        ("y" * 900, 0, "y" * 200, 0),
        ("Wear gloves " * 40, 0, "Wear gloves " * 16 + "Wear", 0),
    ],
)
def test_the_sentence_marked_most_is_shown_with_its_neighbours_of_the_paragraph_in_200_characters(
    text, place, excerpt, start
):
    passage = marked(text, place)
    (miss,) = closest(passage)

    assert best_sentence(passage) == place
    assert miss.sentence in (passage.sentence_texts[place], excerpt)
    assert (miss.excerpt, miss.start) == (excerpt, start)


def test_an_excerpt_stands_on_its_own_page_and_in_its_own_section():
    text = "Gloves are worn.\n\nAprons are worn."
    places = {"page_starts": ((4, 18),), "section_starts": (SectionStart(offset=18, section="2 Body"),)}
    passages = (marked(text, place, page=3, section="1 Hands").model_copy(update=places) for place in (0, 1))
    found = [(miss.excerpt, miss.page, miss.section) for passage in passages for miss in closest(passage)]

    assert found == [("Gloves are worn.", 3, "1 Hands"), ("Aprons are worn.", 4, "2 Body")]
