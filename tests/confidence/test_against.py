import pytest
from passages import hit

from rag.confidence.against import against, missing, spoken
from rag.confidence.signals import READING
from rag.language.lexical import QuestionTerms

TOLD = {"unknown_words": -2.0, "best_joint_sentence": -1.0, READING: -3.0, "best_sentence_similarity": -0.5}


def terms(**counts):
    """Stems that weigh the same, each with how many chunks hold it."""
    return QuestionTerms(stems=tuple(counts), idf=(1.0,) * len(counts), frequencies=tuple(counts.values()), pairs=())


def told(question, hits, known, taken=None, **values):
    return against(
        question,
        hits,
        known,
        values={"best_sentence_similarity": 0.9, **values},
        usual={"best_sentence_similarity": 0.56},
        taken=TOLD if taken is None else taken,
        language="english",
    )


def test_words_that_the_documents_never_use_are_named_as_they_were_written():
    (said,) = told("Is a Zeppelin allowed?", (hit("Smoking is allowed."),), terms(zeppelin=0, allow=3))

    assert said == "The documents nowhere use “Zeppelin”."


def test_of_many_unknown_words_four_are_named_and_the_others_counted():
    question = "ants bees cats dogs elks foxes"
    (said,) = told(question, (hit("Nothing."),), terms(ant=0, bee=0, cat=0, dog=0, elk=0, fox=0))

    assert said == "The documents nowhere use “ants”, “bees”, “cats”, “dogs” and 2 more."


def test_known_words_that_the_best_passage_lacks_are_named():
    hits = (hit("Gloves protect the skin."), hit("Acid.", rank=2))
    (said,) = told("Do gloves protect from acid?", hits, terms(glove=2, protect=2, acid=2))

    # the first passage has two of three words, 67%: less than 85%
    assert said == "The passage with most of the question's words lacks “acid”."


def test_a_passage_that_has_nearly_all_words_lacks_nothing():
    seven = terms(a=1, b=1, c=1, d=1, e=1, f=1, g=1)

    assert missing((hit("b c d e f g"),), seven, language="english") == []  # 6 of 7 are 86%
    assert missing((hit("c d e f g"),), seven, language="english") == ["a", "b"]  # 5 of 7 are 71%


@pytest.mark.parametrize(("chance", "said"), [(0.25, "25%"), (0.0, "0%")])
def test_a_bad_reading_is_told_with_its_probability(chance, said):
    (statement,) = told("What protects?", (hit("Gloves protect."),), terms(protect=1), **{READING: chance})

    assert f"a probability of {said} only" in statement


def test_a_good_reading_is_not_told():
    assert told("What protects?", (hit("Gloves protect."),), terms(protect=1), **{READING: 0.6}) == ()


def test_a_similarity_below_the_usual_is_told_beside_the_usual():
    (said,) = told("What protects?", (hit("Gloves protect."),), terms(protect=1), best_sentence_similarity=0.43)

    assert "0.43" in said
    assert "0.56" in said


def test_the_weightiest_comes_first_and_what_hardly_counts_is_left_out():
    taken = {"unknown_words": -0.2, READING: -1.5, "best_sentence_similarity": -0.05}
    known = terms(zeppelin=0)
    said = told("Zeppelin?", (hit("x"),), known, taken, **{READING: 0.1}, best_sentence_similarity=0.1)

    assert [text.split()[0] for text in said] == ["Read", "The"]
    assert "Zeppelin" in said[1]


def test_nothing_is_said_where_nothing_was_found():
    assert told("Is a Zeppelin allowed?", (), terms(zeppelin=0)) == ()


def test_every_stem_has_its_written_word():
    assert spoken("What is NASA's Budget for 1,500 rockets?", language="english") == {
        "nasa": "NASA's",
        "budget": "Budget",
        "1,500": "1,500",
        "rocket": "rockets",
    }


def test_a_contrary_word_is_told_with_the_word_of_the_question():
    passage = hit("Latex gloves protect from weak acids.")
    known = terms(glove=1, protect=1, strong=1, acid=1)
    (said,) = told("Which gloves protect from strong acids?", (passage,), known, {"contrary": -1.0}, contrary=1.0)

    assert said == "The question says “strong”, and the best passage “weak” about the same."
