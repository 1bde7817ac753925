"""Which questions experts judged, and which of the windows that were read answer them."""

import pytest
from judged_by_hand import TEXT, found_for, passage
from recorded import answered, hit, refused

from rag.evaluation.datasets import Gold
from rag.experts.examples import Judged, example_of, of_labels
from rag.models import Filters, Mode
from rag.workspace.values import Label

READ = (0.2, 0.9, 0.4, None)


def gold(text=None, document="manual.pdf", **place):
    return Gold(document=document, text=text, **place)


def labels(judged, *hits):
    return example_of(judged, found_for(judged, *(hits or (passage(*READ),))), name="set").labels


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        (Judged("Coats?", True, (gold("coats ARE kept\noutside."),)), (False, False, True)),
        (Judged("Worn?", True, (gold("Gloves are worn."), gold("Boots are worn too."))), (True, True, False)),
        (Judged("Coats?", True, (gold("Coats are kept outside.", document="b.pdf"),)), (False, False, False)),
        (Judged("Boots?", True), (None, None, None)),  # only that there is an answer was said
        (Judged("Boots?", True, (gold("  "),)), (None, True, None)),  # no text: the passage, so its best window
    ],
)
def test_the_windows_that_hold_a_gold_sentence_answer_and_the_others_do_not(judged, expected):
    assert labels(judged) == expected


def test_of_a_passage_that_is_relevant_the_window_put_first_answers_and_of_the_others_nothing_is_known():
    other = passage(0.95, None, None, None, rank=2, text="Lamps are green. It rains. Tea is hot. Go home.")

    assert labels(Judged("Boots?", True, (gold(TEXT),)), passage(*READ), other) == (None, True, None, False)


def label(aspect, verdict, *, item="", who="ada", target="req_1"):
    return Label(target=target, aspect=aspect, item=item, labeller=who, verdict=verdict)


def judged(answer, *labels):
    return of_labels(labels, lambda target: answer if target == "req_1" else None)


CHUNKS = label("chunk", "irrelevant", item="chunk-1"), label("chunk", "relevant", item="chunk-2")


@pytest.mark.parametrize(
    ("answer", "said", "expected"),
    [
        (answered(), [label("answer", "correct"), label("answerable", "yes")], (True, [(1, "gloves are worn.")])),
        (
            answered(), [label("answer", "wrong"), label("answerable", "yes"), *CHUNKS],
            (True, [(2, hit(2, 0.7).content)]),
        ),
        (refused(), [label("answer", "correct"), label("answerable", "no")], (False, [])),
        (refused(), [label("answer", "wrong"), label("answerable", "yes")], (True, [])),
    ],
)  # fmt: skip
def test_where_the_answer_stands_is_what_a_right_answer_cites_or_what_was_said_to_be_relevant(answer, said, expected):
    (one,) = judged(answer, *said)

    assert (one.answerable, [(gold.page, gold.text) for gold in one.gold]) == expected


def test_a_question_keeps_its_filters_and_words_and_one_of_a_selected_text_or_not_recorded_is_left_out():
    whole, where, yes = answered(), Filters(source="manual.pdf"), label("answerable", "yes")
    query = whole.query.model_copy(update={"filters": where})
    (one,) = judged(whole.model_copy(update={"asked": "Which gloves? And boots?", "query": query}), yes)
    assert (one.question, one.where) == ("Which gloves? And boots?", where)
    selected = whole.query.model_copy(update={"mode": Mode.SELECTED_TEXT_ONLY, "context": "Gloves."})
    assert judged(None, yes) == judged(whole.model_copy(update={"query": selected}), yes) == []


def test_what_people_disagree_on_counts_once_it_is_settled():
    said = [label("answerable", "yes"), label("answerable", "no", who="bo")]
    assert judged(refused(), *said) == []
    (one,) = judged(refused(), *said, label("answerable", "no", who="(settled)"))
    assert one.answerable is False
