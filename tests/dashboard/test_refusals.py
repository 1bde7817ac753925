"""What a refusal and an unsure question say, and where a dropped sentence stands; worked on answers made by hand."""

import pytest
import recorded
from seen import says
from streamlit.testing.v1 import AppTest

from dashboard.answer_card import in_short, what_helps
from dashboard.readable import answer_markdown, answer_text
from dashboard.sources import marked_part
from dashboard.words import held_against, md, wrote
from rag.models import Cuts, Dropped, Filters, GateDecision, GeneratorInfo, Mode, NearMiss, Refusal
from rag.records.answerfiles import answer_line

GATE = GateDecision(passed=False, estimator="calibrated", confidence=0.42, threshold=0.55, margin=-0.13, reason="Low.")
QUOTED, WRITTEN = GeneratorInfo(name="extractive"), GeneratorInfo(name="ollama", model="small")
MISS = NearMiss(chunk_id="c", document="a.md", excerpt="Text.", similarity_score=0.31)


def refused(gate=GATE, *, filters=None):
    """A refusal at a gate, of a question with a similarity threshold of .4."""
    base = recorded.refused()
    query = base.query.model_copy(update={"filters": filters or Filters(), "similarity_threshold": 0.4})
    refusal = Refusal(stage="gate", reason="Not found.", advice="Add a document.")
    return base.model_copy(update={"query": query, "gate": gate, "refusal": refusal})


def page(line):
    """Draw what came of a question, as on Ask and without an index; run in a namespace of its own."""
    from unittest import mock

    from dashboard import answer_card, judging
    from rag.records.answerfiles import parse_answer

    candor = mock.Mock()
    candor.documents.return_value = []
    with mock.patch.object(judging, "draw_thumbs"):
        answer_card.draw_answer(candor, parse_answer(line), key="k", is_of_index=False)


def test_an_unsure_question_shows_three_passages_the_sentence_marked_and_claims_nothing():
    told = "I can't confirm that your documents answer this."
    answer = recorded.unsure(misses=3)
    answer = answer.model_copy(update={"refusal": answer.refusal.model_copy(update={"reason": told})})
    test = AppTest.from_function(page, args=(answer_line(answer),), default_timeout=60).run()
    assert not test.exception, [error.stack_trace for error in test.exception]
    said = [one.value.replace("\\", "") for one in test.markdown]
    assert f"**{told}** These sentences come closest:" in said
    excerpt = "It is cold. :orange-background[Gloves of kind {} are worn.] Boots are not."
    shown = [one for one in said if "Gloves of kind" in one]
    assert shown[0].startswith(excerpt.format(1))  # the first large, then smaller
    assert [one.startswith(f":small[{excerpt.format(number)}]") for number, one in enumerate(shown, 1)] == [
        False, True, True,
    ]  # fmt: skip
    assert all(f"#source-{answer.request_id}-{number}" in one for number, one in enumerate(shown, 1))
    assert "manual.pdf · page 1" in shown[0]


def test_an_unsure_question_is_exported_with_the_sentences_that_come_closest():
    text = answer_markdown(recorded.unsure(misses=2, message="These come closest:"))
    says(text, "Unsure. These come closest:", "- “Gloves of kind 2 are worn.” (manual.pdf · page 2)")
    assert "No answer." in answer_markdown(recorded.refused())
    assert "No answer" not in answer_markdown(recorded.talk())
    assert marked_part("It is cold.", "Gloves are worn.") == "It is cold."  # what is not in it marks nothing


def test_advice_is_given_where_no_passage_stands_above_it():
    assert what_helps(refused()) == ["Add a document."]
    beside_a_passage = refused(GATE.model_copy(update={"nearest_misses": (MISS,)}))
    assert what_helps(beside_a_passage) == []
    refusal = Refusal(stage="grounding", reason="It fell.", advice="Read the passages found.")
    assert what_helps(beside_a_passage.model_copy(update={"refusal": refusal})) == ["Read the passages found."]
    assert what_helps(recorded.answered()) == []


def test_who_spoke_and_how_sure_that_is_are_told():
    answer = recorded.answered()
    gate = answer.gate.model_copy(update={"passed": True, "margin": 0.5})
    one = answer.model_copy(update={"gate": gate, "generator": QUOTED, "citations": answer.citations[:1]})
    pasted = one.query.model_copy(update={"mode": Mode.SELECTED_TEXT_ONLY})
    spoke = [wrote(one), wrote(one.model_copy(update={"query": pasted}))]
    assert spoke == ["Quoted from the documents", "Quoted from the pasted text"]
    sure = f"{gate.confidence:.2f}"
    assert in_short(one) == f"Quoted word for word, 1 source, sure ({sure})"
    unsure = gate.model_copy(update={"passed": False})
    assert "sure" not in in_short(one.model_copy(update={"gate": unsure}))
    away = {"generator": WRITTEN.model_copy(update={"server": "http://llm.example"}), "confidence": 0.93}
    assert in_short(one.model_copy(update=away)) == (
        f"Written by {md('small at http://llm.example')}, every sentence checked, 1 source, confidence 0.93, of the "
        f"passages {sure}"
    )
    close = GATE.model_copy(update={"confidence": 0.4958, "threshold": 0.5, "margin": -0.0042})
    assert (held_against(close), held_against(GATE)) == (("0.4958", "0.5000"), ("0.42", "0.55"))  # not 0.50 and 0.50


@pytest.mark.parametrize(("removed", "one_of"), [(7, "one of the 7 passages"), (1, "the one passage")])
def test_filters_and_similarity_threshold_are_named_where_they_kept_passages_out(removed, one_of):
    gate = GATE.model_copy(update={"removed_by_filters": removed, "removed_by_threshold": 3})
    narrowed = refused(gate, filters=Filters(source="a.md"))
    said = " ".join(what_helps(narrowed))
    says(said, f"Perhaps {one_of} that the filter (document a.md) left out would answer.",
         "The similarity threshold of 0.40 dropped 3 passages.")  # fmt: skip
    assert "Add a document." not in said  # a button takes the filter off
    assert "Add a document." in what_helps(narrowed.model_copy(update={"query": refused().query}))


@pytest.mark.parametrize(
    ("cosines", "misses", "told"),
    [
        ((0.21, 0.35, None), (), "The similarity threshold of 0.40 dropped 3 passages; the nearest reaches 0.35."),
        ((0.21,), (), "The similarity threshold of 0.40 dropped 3 passages."),  # two are not in the record
        ((0.39, 0.2, 0.1), (MISS,), "Perhaps one of the 3 passages that the similarity threshold of 0.40 dropped would "
                                    "answer; the nearest reaches 0.39."),
    ],
)  # fmt: skip
def test_the_similarity_named_is_that_of_a_passage_that_was_dropped(cosines, misses, told):
    listed = [Dropped("x", "rank", 0.7), *(Dropped(f"d{cosine}", "threshold", cosine) for cosine in cosines)]
    answer = refused(GATE.model_copy(update={"removed_by_threshold": 3, "nearest_misses": misses}))
    cuts = Cuts(candidates=9, rank=1, threshold=3, listed=tuple(listed))
    assert told in what_helps(answer.model_copy(update={"cuts": cuts}))


def test_what_is_copied_is_plain_text_and_a_list_keeps_its_lines():
    answer = recorded.answered()
    (one, *_) = answer.sentences
    said = [one.model_copy(update={"text": text}) for text in ("You bring *two* | three:", "- gloves > nitrile.")]
    copied = answer_text(answer.model_copy(update={"sentences": tuple(said)}))
    assert "You bring *two* | three: [1]\n- gloves > nitrile. [1]" in copied
    assert copied.startswith(answer.query.question)
    assert "\\" not in copied
