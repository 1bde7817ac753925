"""What a refusal shows: the sentences that come closest, wherever they stand, verbatim and where they stand."""

from passages import hit

from rag.models import Retrieval, SectionStart
from rag.ranking.closest import nearest_misses

TIMES = "| Subject | Year 9 and 10 | Aids |\n| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |"


def closest(question, *hits, rest=()):
    return nearest_misses(Retrieval(hits=hits, rest=rest), question)


def test_sentences_of_all_passages_are_ranked_together():
    first = hit("Hens are shut in at dusk.", cosines=(0.3,))
    second = hit("Foxes come at night.\nA fox takes them one by one.", rank=2, cosines=(0.5, 0.7))
    shown = closest("What kills poultry?", first, second)

    assert [(miss.chunk_id, miss.excerpt) for miss in shown] == [
        ("chunk-2", "A fox takes them one by one."),
        ("chunk-2", "Foxes come at night."),
        ("chunk-1", "Hens are shut in at dusk."),
    ]


def test_neighbours_of_the_same_paragraph_are_shown_with_a_sentence_as_far_as_they_fit():
    text = "It rains. Gloves are worn with acids. They are thrown away after use.\nAprons hang by the door."
    (first, second) = closest("", hit(text, cosines=(0.1, 0.6, 0.2, 0.3)))

    assert first.excerpt == "It rains. Gloves are worn with acids. They are thrown away after use."
    assert second.excerpt == "Aprons hang by the door."


def test_a_sentence_is_shown_once():
    (only,) = closest("", hit("It rains. It snows.", cosines=(0.6, 0.5)))

    assert only.excerpt == "It rains. It snows."


def test_three_are_shown_of_the_first_five_passages():
    passages = [hit(f"Rule {number}.", rank=number, cosines=(number / 10,)) for number in range(1, 8)]
    shown = closest("", *passages[:2], rest=tuple(passages[2:]))

    assert [miss.excerpt for miss in shown] == ["Rule 5.", "Rule 4.", "Rule 3."]


def test_words_count_beside_the_cosine():
    text = "Propofol is given slowly.\nKetamine is given at 5 mg.\nCats are weighed first."
    passage = hit(text, cosines=(0.52, 0.5, 0.3))

    assert closest("What is the dose of ketamine?", passage)[0].excerpt == "Ketamine is given at 5 mg."
    assert closest("What sends them to sleep?", passage)[0].excerpt == "Propofol is given slowly."


def test_an_excerpt_has_at_most_200_characters_and_ends_with_a_whole_word():
    (one,) = closest("", hit("y" * 900))
    (other,) = closest("", hit("Wear gloves " * 40))

    assert one.excerpt == "y" * 200
    assert other.excerpt == "Wear gloves " * 16 + "Wear"


def test_an_excerpt_stands_on_its_own_page_and_in_its_own_section():
    text = "Gloves are worn.\n\nAprons are worn."
    passage = hit(text, page=3, section="1 Hands", cosines=(0.2, 0.6)).model_copy(
        update={
            "page_starts": ((4, 18),),
            "section_starts": (SectionStart(offset=18, section="2 Body"),),
        }
    )
    first, second = closest("", passage)

    assert (first.excerpt, first.page, first.section) == ("Aprons are worn.", 4, "2 Body")
    assert (second.excerpt, second.page, second.section) == ("Gloves are worn.", 3, "1 Hands")


def test_a_row_says_what_its_columns_are_and_heads_are_not_shown():
    first, second = closest("How long is choir in year 10?", hit(TIMES, cosines=(0.9, 0.3, 0.4)))

    assert first.excerpt == "| Choir | 90 minutes | score |"
    assert first.stated == "Subject: Choir; Year 9 and 10: 90 minutes; Aids: score"
    assert second.excerpt == "| Dance | 150 minutes | none |"


def test_a_row_whose_heads_are_not_known_and_a_sentence_state_nothing_more():
    rows = "| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |"

    assert [miss.stated for miss in closest("", hit(rows), hit("It rains.", rank=2))] == ["", "", ""]


def test_of_a_passage_of_heads_alone_the_heads_are_shown():
    heads = hit("| Subject | Year 9 and 10 |\n| --- | --- |", cosines=(0.9, 0.1))

    assert closest("What is allowed in year 10?", heads)[0].excerpt == "| Subject | Year 9 and 10 |"


def test_without_a_section_the_chapter_is_named():
    under = hit("Gloves.").model_copy(update={"chapter": 6, "chapter_title": "What the crew does"})
    (miss,) = closest("", under)

    assert miss.part == "chapter 6 What the crew does"


def test_where_nothing_was_found_nothing_is_shown():
    assert closest("Which gloves?") == ()


LONG = "Gloves are worn with every acid that is stored in the cabinet under the window of the laboratory, always."
"""Two such sentences are longer than an excerpt."""


def test_what_is_shown_already_is_not_shown_again_as_a_neighbour():
    first, second = closest("", hit(f"{LONG} Aprons hang there. {LONG}", cosines=(0.3, 0.9, 0.2)))

    assert first.excerpt == f"Aprons hang there. {LONG}"
    assert second.excerpt == LONG


def test_a_sentence_is_shown_without_a_longer_neighbour_on_the_next_page():
    passage = hit(f"Gloves are worn. {LONG}", page=3, cosines=(0.9, 0.1)).model_copy(update={"page_starts": ((4, 17),)})
    first, second = closest("", passage)

    assert (first.excerpt, first.page) == ("Gloves are worn.", 3)
    assert (second.excerpt, second.page) == (LONG, 4)


def test_what_two_passages_have_in_the_same_words_is_shown_once():
    shown = closest("", hit("Ask the office.\nIt rains.", cosines=(0.9, 0.2)), hit("Ask the office.", rank=2))

    assert [miss.excerpt for miss in shown] == ["Ask the office.", "It rains."]


def test_of_a_long_sentence_the_part_that_fits_the_question_is_shown():
    told = f"Skates are lent by the hour, {'then by the day or the week, ' * 6}as the list says that the board renews."
    (miss,) = closest("Who renews the list?", hit(told))

    assert miss.excerpt.endswith("as the list says that the board renews.")
    assert len(miss.excerpt) <= 200
    assert miss.excerpt in told


def test_of_a_sentence_that_goes_on_on_the_next_page_the_part_that_fits_the_question_is_shown():
    told = "Skates are lent by the hour for three euros and to members for two, as the list says that the board renews."
    passage = hit(told, page=3).model_copy(update={"page_starts": ((4, told.index("as the")),)})
    (miss,) = closest("Who renews the list?", passage)

    assert (miss.excerpt, miss.page) == ("as the list says that the board renews.", 4)


def test_of_a_long_row_the_beginning_is_shown():
    row = f"| Skates | {'by the hour or the day ' * 10}| the board renews the list |"
    miss = closest("Who renews the list?", hit(f"| Thing | Lent | List |\n| --- | --- | --- |\n{row}"))[0]

    assert miss.excerpt.startswith("| Skates | by the hour")
    assert miss.stated.endswith("the board renews the list")
