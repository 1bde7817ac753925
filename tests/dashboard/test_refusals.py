"""What a refusal and an unsure question say, and where a dropped sentence stands; worked on answers made by hand."""

from collections.abc import Callable

import pytest
import recorded
from streamlit.testing.v1 import AppTest

from dashboard.answer_card import what_helps
from dashboard.readable import answer_markdown
from dashboard.words import held_against
from rag.models import Answer, GateDecision, NearMiss, Refusal

GATE = GateDecision(passed=False, estimator="calibrated", confidence=0.42, threshold=0.55, margin=-0.13, reason="Low.")
MISS = NearMiss(chunk_id="c", document="a.md", excerpt="Text.", similarity_score=0.31)


def refused(gate: GateDecision = GATE) -> Answer:
    """A refusal at a gate, of a question with a similarity threshold of .4."""
    base = recorded.refused()
    query = base.query.model_copy(update={"similarity_threshold": 0.4})
    refusal = Refusal(stage="gate", reason="Not found.", advice="Add a document.")
    return base.model_copy(update={"query": query, "gate": gate, "refusal": refusal})


@pytest.fixture
def drawn() -> Callable[[Answer], AppTest]:
    """Draw what came of a question, as on Ask and without an index."""

    def draw(answer: Answer) -> AppTest:
        def page(line: bytes) -> None:
            from unittest import mock

            from dashboard import answer_card, judging
            from rag.recording.answerfiles import parse_answer

            answer = parse_answer(line)
            candor = mock.Mock()
            candor.documents.return_value = []
            with mock.patch.object(judging, "draw_thumbs"):
                answer_card.draw_answer(candor, answer, key="k", is_of_index=False)

        from rag.recording.answerfiles import answer_line

        test = AppTest.from_function(page, args=(answer_line(answer),), default_timeout=60).run()
        assert not test.exception, [error.stack_trace for error in test.exception]
        return test

    return draw


def test_an_unsure_question_shows_three_passages_the_sentence_marked_and_claims_nothing(
    drawn: Callable[[Answer], AppTest],
) -> None:
    told = "I can't confirm that your documents answer this. These sentences come closest:"
    answer = recorded.unsure(misses=3)
    assert answer.refusal is not None
    answer = answer.model_copy(update={"refusal": answer.refusal.model_copy(update={"reason": told})})
    said = [one.value.replace("\\", "") for one in drawn(answer).markdown]
    assert f"**{told}** These sentences come closest:" in said
    excerpt = "It is cold. :orange-background[Gloves of kind {} are worn.] Boots are not."
    shown = [one for one in said if "Gloves of kind" in one]
    assert shown[0].startswith(excerpt.format(1))  # the first large, then smaller
    assert [one.startswith(f":small[{excerpt.format(number)}]") for number, one in enumerate(shown, 1)] == [
        False, True, True,
    ]  # fmt: skip
    assert [f"#source-{answer.request_id}-{number}" in one for number, one in enumerate(shown, 1)] == [True] * 3
    assert "manual.pdf · page 1" in shown[0]


def test_a_refusal_leads_with_the_best_passage_and_tells_no_figures(drawn: Callable[[Answer], AppTest]) -> None:
    miss = MISS.model_copy(update={"sentence": "Text."})
    test = drawn(refused(GATE.model_copy(update={"nearest_misses": (miss,)})))
    said = " ".join(one.value for one in test.markdown)
    assert "**Not found.**" in said
    assert ":orange-background[Text.]" in said
    assert "0.42" not in said
    assert "0.55" not in said
    assert "Add a document." not in said  # the passage that stands there says more
    assert {"Tell the owner", "Why?"} <= {one.label for one in test.button}


def test_talk_is_its_message_and_nothing_else(drawn: Callable[[Answer], AppTest]) -> None:
    test = drawn(recorded.talk(message="I have 2 documents:\n- a.md\n- b.md"))
    assert [one.value for one in test.markdown] == ["I have 2 documents:  \n\\- a.md  \n\\- b.md"]
    assert not [*test.button, *test.expander, *test.caption, *test.warning]


def test_an_unsure_question_is_exported_with_the_sentences_that_come_closest() -> None:
    text = answer_markdown(recorded.unsure(misses=2, message="These come closest:"))
    assert "Unsure. These come closest:" in text
    assert "- “Gloves of kind 2 are worn.” (manual.pdf · page 2)" in text
    assert "No answer." in answer_markdown(recorded.refused())
    assert "No answer" not in answer_markdown(recorded.talk())


def test_advice_is_given_where_no_passage_stands_above_it() -> None:
    assert what_helps(refused()) == ["Add a document."]
    beside_a_passage = refused(GATE.model_copy(update={"nearest_misses": (MISS,)}))
    assert what_helps(beside_a_passage) == []
    refusal = Refusal(stage="grounding", reason="It fell.", advice="Read the passages found.")
    assert what_helps(beside_a_passage.model_copy(update={"refusal": refusal})) == ["Read the passages found."]
    assert what_helps(recorded.answered()) == []
    kept_out = refused(GATE.model_copy(update={"removed_by_threshold": 3}))
    assert "The similarity threshold of 0.40 dropped 3 passages." in what_helps(kept_out)


def test_confidence_and_threshold_are_told_apart_with_more_digits_where_they_are_close() -> None:
    close = GATE.model_copy(update={"confidence": 0.4958, "threshold": 0.5, "margin": -0.0042})
    assert held_against(close) == ("0.4958", "0.5000")  # not 0.50 and 0.50
    assert held_against(GATE) == ("0.42", "0.55")
