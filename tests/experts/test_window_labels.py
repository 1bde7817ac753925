"""Which questions experts judged, and which of the windows that were read answer them."""

import pytest
from judged_by_hand import TEXT, passage
from recorded import answered, hit, refused

from rag.errors import InvalidQuery
from rag.evaluation.datasets import Gold, Question
from rag.experts.examples import Judged, example_of, examples_of, of_labels, of_questions
from rag.models import Filters, Mode
from rag.stored.values import Label

READ = (0.2, 0.9, 0.4, None)


def gold(text=None, document="manual.pdf", **place):
    return Gold(document=document, text=text, **place)


def labels(finding, judged, *hits):
    return example_of(judged, finding(*(hits or (passage(*READ),)))(judged), name="set").labels


def test_the_window_that_holds_the_gold_sentence_answers_and_the_others_do_not(finding):
    assert labels(finding, Judged("Coats?", True, (gold("coats ARE kept\noutside."),))) == (False, False, True)


def test_of_a_passage_that_is_relevant_the_window_put_first_answers_and_of_the_others_nothing_is_known(finding):
    other = passage(0.95, None, None, None, rank=2, text="Lamps are green. It rains. Tea is hot. Go home.")

    assert labels(finding, Judged("Boots?", True, (gold(TEXT),)), passage(*READ), other) == (None, True, None, False)


def test_where_a_place_has_no_text_its_page_and_section_tell_which_passage_is_meant(finding):
    here = passage(*READ).model_copy(update={"page": 3, "section": "2.1 Clothes"})
    for place, expected in (({"page": 3, "section": "2.1"}, (None, True, None)), ({"page": 4}, (False, False, False))):
        assert labels(finding, Judged("Boots?", True, (gold(**place),)), here) == expected


def test_two_gold_sentences_both_answer(finding):
    both = (gold("Gloves are worn."), gold("Boots are worn too."))

    assert labels(finding, Judged("What is worn?", True, both)) == (True, True, False)


def test_the_same_words_in_another_document_do_not_answer(finding):
    assert labels(finding, Judged("Coats?", True, (gold("Coats are kept outside.", document="b.pdf"),))) == (False,) * 3


def test_nothing_answers_a_question_that_the_documents_do_not(finding):
    assert labels(finding, Judged("Shoes?", False)) == (False, False, False)


def test_nothing_is_known_of_the_windows_where_only_that_there_is_an_answer_was_said(finding):
    example = example_of(Judged("Boots?", True), finding(passage(*READ))(Judged("Boots?", True)), name="set")

    assert (example.labels, example.is_found) == ((None, None, None), False)


def test_an_example_has_the_texts_that_were_read_and_its_group(finding):
    judged = Judged("Boots?", True, (gold("Boots are worn too.", section="2.1"),))
    example = example_of(judged, finding(passage(*READ))(judged), name="set")

    assert example.places == ((0, 0), (0, 1), (0, 2))
    assert "Boots are worn too." in example.texts[1].text
    assert example.group == ("set", "manual.pdf", "2.1")


def test_an_invalid_question_is_left_out_and_progress_goes_on(finding):
    def find(judged):
        if judged.question == "":
            raise InvalidQuery("Too short.")
        return finding(passage(*READ))(judged)

    told = []
    found = examples_of(
        [Judged("", False), Judged("Boots?", False)], find, name="set", progress=lambda *done: told.append(done)
    )

    assert [one.asked for one in found] == ["Boots?"]
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_text_is_no_text(finding, text):
    assert labels(finding, Judged("Boots?", True, (gold(text),))) == (None, True, None)


def label(aspect, verdict, *, item="", who="ada", target="req_1"):
    return Label(target=target, aspect=aspect, item=item, labeller=who, verdict=verdict)


def judged(answer, *labels):
    return of_labels(labels, lambda target: answer if target == "req_1" else None)


def test_what_a_right_answer_cites_is_where_the_answer_stands():
    (one,) = judged(answered(), label("answer", "correct"), label("answerable", "yes"))

    assert (one.question, one.answerable) == ("Which gloves – number 1?", True)
    assert [(gold.document, gold.page, gold.text) for gold in one.gold] == [("manual.pdf", 1, "gloves are worn.")]


def test_of_a_wrong_answer_the_passages_that_are_relevant_are():
    said = [label("answer", "wrong"), label("answerable", "yes"), label("chunk", "irrelevant", item="chunk-1")]
    (one,) = judged(answered(), *said, label("chunk", "relevant", item="chunk-2"))

    assert [(gold.page, gold.text) for gold in one.gold] == [(2, hit(2, 0.7).content)]


def test_a_refusal_that_was_right_is_a_question_that_nothing_answers():
    assert judged(refused(), label("answer", "correct"), label("answerable", "no")) == [
        Judged("Which gloves – number 2?", False)
    ]


def test_a_refusal_that_was_wrong_without_a_passage_says_only_that_the_documents_answer():
    (one,) = judged(refused(), label("answer", "wrong"), label("answerable", "yes"))

    assert (one.answerable, one.gold) == (True, ())


@pytest.mark.parametrize(("settled", "expected"), [([], []), ([label("answerable", "no", who="(settled)")], [False])])
def test_what_people_disagree_on_counts_once_it_is_settled(settled, expected):
    said = [label("answerable", "yes"), label("answerable", "no", who="bo"), *settled]

    assert [one.answerable for one in judged(refused(), *said)] == expected


def test_what_is_not_recorded_any_more_and_what_a_selected_text_answers_is_left_out():
    whole = answered()
    selected = whole.model_copy(
        update={"query": whole.query.model_copy(update={"mode": Mode.SELECTED_TEXT_ONLY, "context": "Gloves."})}
    )

    assert judged(None, label("answerable", "yes")) == []
    assert judged(selected, label("answerable", "yes")) == []


def test_a_question_keeps_its_filters_and_is_asked_as_it_was_read():
    whole = answered()
    where = Filters(source="manual.pdf")
    read = whole.model_copy(
        update={"asked": "Which gloves? And boots?", "query": whole.query.model_copy(update={"filters": where})}
    )
    (one,) = judged(read, label("answerable", "yes"))

    assert (one.question, one.where) == ("Which gloves? And boots?", where)


def test_of_a_data_set_the_labelled_questions_count_each_wording_once():
    lines = [
        Question(qid="1", question="Which gloves?", answerable=True),
        Question(qid="2", question="which  GLOVES?", answerable=True),
        Question(qid="3", question="Which boots?", answerable=None),
        Question(qid="4", question="Which hats?", answerable=False),
    ]

    assert [(one.question, one.answerable) for one in of_questions(lines)] == [
        ("Which gloves?", True), ("Which hats?", False)
    ]  # fmt: skip
