"""What is quoted beside the best sentence: nothing is left out between that the question has a word of."""

from passages import hit

from rag.quoting.candidates import Candidate
from rag.quoting.choice import choose

FEES = (
    "Whoever cancels two days before pays nothing. {} Whoever does not cancel pays the whole price.",
    "Whoever cancels later pays 30 francs.",
    "The hut is red.",
)
ASKED = frozenset(("cancel", "pay"))


def chosen(middle, limit=3):
    passage = hit(FEES[0].format(middle))
    ranked = [
        Candidate(1, place, text, frozenset((f"stem{place}",)), score, 0.0, is_row=False)
        for place, text, score in zip((0, 2, 1), passage.sentence_texts, (1.0, 0.9, 0.2), strict=True)
    ]
    return [place.index for place in choose(ranked, [passage], limit, ASKED)]


def test_a_sentence_between_two_quoted_ones_that_has_a_word_of_the_question_is_quoted():
    assert chosen(FEES[1]) == [0, 1, 2]


def test_one_on_another_matter_and_one_beyond_the_limit_are_left_out():
    assert chosen(FEES[2]) == [0, 2]
    assert chosen(FEES[1], limit=2) == [0, 2]


def test_what_denies_between_two_quoted_ones_is_quoted():
    assert chosen("Nobody gets anything back.") == [0, 1, 2]
    assert chosen("They do not wait.") == [0, 1, 2]


def test_words_that_no_answer_repeats_do_not_count_against_the_next_sentence():
    passage = hit("If the club ends, its money goes to the town. The boats go to the school.")
    texts = passage.sentence_texts

    def indexes(asked):
        # the bar of the second is 0.78, less 0.5 times the share of what is asked that it alone has: a third, or a half
        ranked = [
            Candidate(1, 0, texts[0], frozenset(("club", "end")), 1.0, 0.0, is_row=False),
            Candidate(1, 1, texts[1], frozenset(("boat", "school")), 0.55, 0.0, is_row=False),
        ]
        return [place.index for place in choose(ranked, [passage], 3, asked)]

    assert indexes(frozenset(("get", "boat", "club"))) == [0, 1]  # 0.78 - 0.25 = 0.53
    assert indexes(frozenset(("keep", "boat", "club"))) == [0]  # 0.78 - 0.17 = 0.61


def test_a_sentence_of_another_passage_needs_less_in_the_same_section_and_more_elsewhere():
    def quoted(score, *sections, documents=("manual.pdf", "manual.pdf")):
        texts = ("Goggles are worn.", "Gloves are worn.")
        hits = [
            hit(text, rank=rank, section=section, document=document)
            for rank, text, section, document in zip((1, 2), texts, sections, documents, strict=True)
        ]
        ranked = [
            Candidate(1, 0, texts[0], frozenset(("goggl",)), 1.0, 0.0, is_row=False),
            Candidate(2, 0, texts[1], frozenset(("glove",)), score, 0.0, is_row=False),
        ]
        return len(choose(ranked, hits, 3, frozenset(("worn",)))) == 2

    assert (quoted(0.9, "2.1 Hoods", "2.1 Hoods"), quoted(0.89, "2.1 Hoods", "2.1 Hoods")) == (True, False)
    assert (quoted(0.98, "2.1 Hoods", "2.2 Acids"), quoted(0.97, "2.1 Hoods", "2.2 Acids")) == (True, False)
    assert (quoted(0.96, None, None), quoted(0.95, None, None)) == (True, False)  # which section is not known
    assert not quoted(0.97, "2.1 Hoods", "2.1 Hoods", documents=("manual.pdf", "policy.pdf"))


def test_what_lies_between_the_limits_of_two_quoted_sentences_is_quoted():
    assert between("From 5 to 9 degrees milk keeps a day.") == [0, 1, 2]


def test_a_sentence_between_that_sets_no_limit_in_their_unit_is_left_out():
    assert between("From 5 to 9 euros are paid.") == [0, 2]
    assert between("Cows are cooled by 5 degrees.") == [0, 2]


def between(middle):
    passage = hit(f"Milk keeps at 5 degrees or less. {middle} Above 9 degrees milk spoils.")
    ranked = [
        Candidate(1, place, text, frozenset((f"stem{place}",)), score, 0.0, is_row=False)
        for place, text, score in zip((0, 2, 1), passage.sentence_texts, (1.0, 0.9, 0.2), strict=True)
    ]
    return [place.index for place in choose(ranked, [passage], 3, frozenset(("spoil",)))]
