"""Judged questions: which windows answer them, what is learned, and how it is kept, taken back and loaded."""

import logging
from dataclasses import replace

import numpy as np
import pytest
from passages import hit
from recorded import answered, refused
from recorded import hit as recorded_hit

from rag.adapters.mpnet_pairs import shipped_pairs
from rag.confidence.calibrated import GateFit, load_fit
from rag.errors import ConfigurationError
from rag.evaluation.datasets import Gold
from rag.events import Found
from rag.experts.examples import Judged, example_of, of_labels
from rag.experts.fitting import Lesson, compared, cross_fitted, figures_of, learned
from rag.experts.teaching import put_in_force, undo
from rag.gate import MeanSimilarity, decide
from rag.models import Filters, Mode, Query, Retrieval, Timings
from rag.reader.head import Head, load_head, save_head
from rag.settings import Settings
from rag.wiring import Wiring
from rag.workspace.values import Label

TEXT = "Gloves are worn. Boots are worn too. Coats are kept outside. Hats are not allowed."
"""Four sentences, each a window of its own."""


def passage(*readings, document="manual.pdf", rank=1, text=TEXT):
    return hit(text, cut=(1, 1, 1, 1), readings=readings, document=document, rank=rank)


def found_for(judged, *hits):
    query = Query(question=judged.question, filters=judged.where)
    retrieval = Retrieval(hits=hits, searched=1, indexed=1)
    return Found(query, retrieval, decide(query, retrieval, estimator=MeanSimilarity()), Timings())


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
            (True, [(2, recorded_hit(2, 0.7).content)]),
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


GATE = GateFit(
    signals=("best",), means=(0.0,), scales=(1.0,), weights=(1.0,), intercept=0.0, threshold=0.5, unsure_threshold=0.2,
    max_false_answer_rate=0.05,
)  # fmt: skip
"""Confidence is the probability of the best window."""
SENTENCES = ("Gloves are worn.", "Boots are worn too.", "Coats are kept outside.", "Hats are not allowed.")


def lesson(number, *, answer=None, logits=(0.0, 0.0, 0.0, 0.0), pooled=None):
    """A question about one of six documents; `answer` is the window that answers it, None: nothing does."""
    document = f"{number % 6}.md"
    gold = () if answer is None else (Gold(document=document, text=SENTENCES[answer]),)
    judged = Judged(f"Question {number}?", answer is not None, gold)
    odds = np.asarray(logits, dtype=np.float32)
    hit = passage(*(1 / (1 + np.exp(-odds))).tolist(), document=document)
    vectors = np.zeros((4, 8)) if pooled is None else np.asarray(pooled)
    return Lesson(example_of(judged, found_for(judged, hit), name="set"), odds, vectors.astype(np.float32))


def taught(count=48):
    """Questions that the reader does not tell apart, while the first number of its vectors does."""
    drawn = np.random.default_rng(1)
    lessons = []
    for number in range(count):
        answer = None if number % 3 == 2 else int(drawn.integers(4))
        pooled = drawn.normal(size=(4, 8))
        pooled[:, 0] = [(3.0 if window == answer else -1.0) for window in range(4)]
        lessons.append(lesson(number, answer=answer, logits=drawn.normal(size=4) * 0.3, pooled=pooled))
    return lessons


def test_what_the_vectors_tell_is_learned_and_holds_for_documents_that_were_not_learned_from():
    found = compared(taught(), gate=GATE)
    assert (found.questions, found.answerable, found.unseen, found.groups) == (48, 32, 0, 6)
    assert (found.windows, found.answering) == (48 * 4, 32)
    assert found.before.choice.numerator < 20 < found.after.choice.numerator == found.after.choice.denominator == 32
    assert found.before.auroc.value < 0.7 < 0.99 < found.after.auroc.value
    assert found.after.false_answers.numerator < found.before.false_answers.numerator
    assert found.is_better
    worse = {"false_answers": found.before.false_answers.model_copy(update={"numerator": 99.0})}
    assert not found.model_copy(update={"after": found.after.model_copy(update=worse)}).is_better


def test_no_question_is_read_with_a_head_that_saw_its_document():
    lessons = taught()
    own = [number for number, one in enumerate(lessons) if one.example.group[1] == "0.md"]
    changed = [replace(one, pooled=-one.pooled) if number in own else one for number, one in enumerate(lessons)]
    plain, other = cross_fitted(lessons), cross_fitted(changed)
    # the same head, of the other documents alone: what it adds but for its bias is turned round with the vectors
    for number in own:
        one, another = plain[number] - lessons[number].logits, other[number] - lessons[number].logits
        assert np.allclose(one - one.mean(), -(another - another.mean()), atol=1e-3)


def test_figures_are_counted_by_hand():
    lessons = [
        lesson(0, answer=1, logits=(-2, 2, -3, -3)),  # answered, right
        lesson(1, answer=1, logits=(2, 1, -3, -3)),  # answered, another window first
        lesson(2, answer=3, logits=(-4, -4, -4, -1)),  # right window first, not answered
        lesson(3, logits=(3, -3, -3, -3)),  # falsely answered
        lesson(4, logits=(-3, -3, -3, -3)),
    ]
    found = figures_of([one.example for one in lessons], [one.logits for one in lessons], gate=GATE, threshold=0.5)
    assert (found.choice.numerator, found.choice.denominator) == (2, 3)
    assert (found.right.numerator, found.right.denominator) == (1, 3)
    assert (found.false_answers.numerator, found.false_answers.denominator) == (1, 2)
    # pairs of best logits 2, 2, -1 above 3, -3: 0 + 0 + 0 of 3, and 3 of 3
    assert found.auroc.value == pytest.approx(0.5)


def test_too_few_questions_or_none_with_an_answer_are_refused_with_what_is_missing():
    with pytest.raises(ConfigurationError, match=r"19 judged questions, and it takes 20\. Judge 1 more question on"):
        compared(taught(count=19), gate=GATE)
    with pytest.raises(ConfigurationError, match="Nothing can be learned"):
        learned([lesson(number) for number in range(20)], reader="r")


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path / "data")


def head(bias):
    return Head(np.array([1.0, 2.0]), bias, "reader@1")


def test_lessons_are_taken_back_one_by_one_down_to_the_reader_as_it_came(settings):
    assert [put_in_force(settings, head(bias)) for bias in (1.0, 2.0)] == [1, 2]
    assert load_head(settings.head_file).bias == 2.0
    assert undo(settings) == 2
    assert load_head(settings.head_file).bias == 1.0
    assert undo(settings) == 1
    assert not settings.head_file.exists()
    with pytest.raises(ConfigurationError, match="There is no lesson to take back"):
        undo(settings)
    assert put_in_force(settings, head(3.0)) == 1


@pytest.fixture
def named(settings):
    """Return what the reader is called with a head for a reader of this name in the data folder."""

    def read(reader):
        settings.data_dir.mkdir(exist_ok=True)
        save_head(settings.head_file, Head(np.ones(1536), 0.5, reader))
        return Wiring(settings).reader_name

    return read


def test_a_head_in_the_folder_is_loaded_and_names_the_reader_and_that_of_another_is_set_aside(settings, named, caplog):
    base = shipped_pairs().described.name
    name = named(base)
    assert (name.startswith(f"{base}+"), len(name)) == (True, len(base) + 9)
    load_fit(settings.data_dir, reader=name)  # the shipped gate stays usable
    with caplog.at_level(logging.WARNING):
        assert named("mpnet-reader@of-another") == base
    assert "set aside. Run `candor train`." in caplog.text
