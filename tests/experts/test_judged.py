"""Which questions count as judged, and where their answers stand."""

import pytest
from recorded import answered, hit, refused

from rag.evaluation.datasets import Question
from rag.experts.judged import Judged, of_labels, of_questions
from rag.models import Filters, Mode
from rag.stored.values import Label


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
