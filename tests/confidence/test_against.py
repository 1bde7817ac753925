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


def test_known_words_that_the_closest_passage_lacks_are_named():
    hits = (hit("Gloves protect the skin."), hit("Acid. Gloves, goggles and aprons protect.", rank=2))
    (said,) = told("Do gloves protect from acid?", hits, terms(glove=2, protect=2, acid=2))

    # the first passage, which is shown first, has two of three words, 67%: less than 85%
    assert said == "The closest passage lacks “acid”."


def test_verbs_that_carry_hardly_anything_are_not_told_beside_another_word_of_the_question():
    hits = (hit("Ferries leave at noon."),)

    (said,) = told("When did you last see a heron running?", hits, terms(see=2, heron=2, run=2))
    assert said == "The closest passage lacks “heron”."
    assert told("When will the ferry stop running?", hits, terms(stop=2, ferri=2, run=2)) == ()
    assert told("Does it run?", hits, terms(run=2)) == ("The closest passage lacks “run”.",)


def test_a_word_that_stands_in_the_headings_of_the_closest_passage_is_not_lacking():
    assert told("Do gloves protect from acid?", (hit("Gloves protect.", section="Acid"),), terms(glove=2, acid=2)) == ()
    (said,) = told("Do gloves protect from acid?", (hit("Gloves.", section="Fire"),), terms(glove=2, acid=2))

    assert said == "The closest passage lacks “acid”."


def test_a_word_that_is_missing_is_told_where_nothing_weighs_much_whatever_it_takes():
    known, usual = terms(green=3, bin=2, collect=2), {"best_sentence_similarity": 0.56, "question_words": 0.25}
    values = {"best_sentence_similarity": 0.9, "question_words": 0.15}

    def of(question):
        taken = {"best_joint_sentence": 0.4, "question_words": -0.05}
        hits = (hit("The brown bin is collected on Fridays."),)
        return against(question, hits, known, values=values, usual=usual, taken=taken, language="english")

    few = "The question has few words to search by: 3."
    assert of("When is the green bin collected?") == ("The closest passage lacks “green”.", few)


def test_of_how_far_the_passages_lie_apart_nothing_is_told():
    values = {"best_sentence_similarity": 0.9, "margin": 0.38}
    usual = {"best_sentence_similarity": 0.56, "margin": 0.23}
    hits, taken = (hit("Gloves protect."),), {"margin": -0.08}

    known = terms(protect=1)
    assert against("Do they?", hits, known, values=values, usual=usual, taken=taken, language="english") == ()


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


def test_where_nothing_takes_much_the_two_signals_that_took_most_are_told():
    taken = {"pairs_in_chunk": -0.07, READING: -0.05, "question_words": -0.06, "margin": 0.4}
    known = QuestionTerms(stems=("glove", "protect"), idf=(1.0, 1.0), frequencies=(2, 2), pairs=(("glove", "protect"),))
    lesser = {"pairs_in_chunk": 0.0, "question_words": 0.1, "margin": 0.2, READING: 0.4}
    said = against(
        "Do gloves protect?",
        (hit("Gloves always protect."),),
        known,
        values={"best_sentence_similarity": 0.9, **lesser},
        usual={"best_sentence_similarity": 0.56, "question_words": 0.24, "margin": 0.23},
        taken=taken,
        language="english",
    )

    assert said == (
        "Of the question's neighbouring words none stand side by side in one passage.",
        "The question has few words to search by: 2.",
    )


@pytest.mark.parametrize(
    ("signal", "value", "statement"),
    [
        ("best_similarity", 0.2, "The nearest passage has a similarity of 0.20, and 0.25 is usual."),
        ("mean_similarity", 0.1, "The passages used have a mean similarity of 0.10, and 0.25 is usual."),
        ("rank_agreement", 0.5, "The passage found first is not the nearest both by meaning and by words."),
        ("words_in_chunk", 0.5, "No passage has more than 50% of the question's words, rare ones counting more."),
    ],
)
def test_each_lesser_signal_is_told_as_a_fact_and_only_if_it_took_anything(signal, value, statement):
    def of(taken):
        return against(
            "What protects?",
            (hit("Gloves protect."),),
            terms(protect=1),
            values={"best_sentence_similarity": 0.9, signal: value},
            usual={signal: 0.25},
            taken={signal: taken},
            language="english",
        )

    assert of(-0.05) == (statement,)
    assert of(-0.01) == ()  # hardly counts
    assert of(0.3) == ()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many gloves protect?", "a number"),
        ("When do gloves protect?", "a date or a time"),
        ("Who protects gloves?", "a name"),
        ("Where do gloves protect?", "a place"),
        ("Why do gloves protect?", "a reason"),
        ("Which gloves protect?", ""),
        ("Do gloves protect?", ""),
    ],
)
def test_the_kind_of_thing_that_no_sentence_has_is_named_where_the_question_tells_it(question, kind):
    taken = {"sentence_fit": -0.2}
    said = told(question, (hit("Gloves protect."),), terms(glove=1, protect=1), taken, sentence_fit=0.0)

    assert said == ((f"No sentence found has the kind of thing asked for: {kind}.",) if kind else ())
    assert told(question, (hit("Gloves."),), terms(glove=1), taken, sentence_fit=0.15) == ()


def test_light_words_and_fillers_are_not_named_as_missing():
    known = terms(get=0, littl=0, ok=0, zeppelin=0)
    (said,) = told("OK to get a little Zeppelin?", (hit("Nothing."),), known)

    assert said == "The documents nowhere use “Zeppelin”."
    assert told("Get a little, ok?", (hit("Nothing."),), terms(get=0, littl=0, ok=0)) == ()


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


def test_a_word_with_a_hyphen_is_named_as_one():
    (said,) = told("Can I charge my e-bike here?", (hit("Bicycles are charged in the shed."),), terms(e=0, bike=0))

    assert said == "The documents nowhere use “e-bike”."
    said, *_ = told("What does error TP-4001 mean?", (hit("Errors are logged."),), terms(tp=3, **{"4001": 0}))
    assert said == "The documents nowhere use “TP-4001”."
