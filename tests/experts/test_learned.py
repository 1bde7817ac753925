"""What is learned from judged questions, and what is said of it."""

from dataclasses import replace

import numpy as np
import pytest
from judged_by_hand import found_for, passage

from rag.confidence.calibrated import GateFit
from rag.errors import ConfigurationError
from rag.evaluation.datasets import Gold
from rag.experts.examples import Judged, example_of
from rag.experts.fitting import Lesson, compared, cross_fitted, figures_of, learned

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
