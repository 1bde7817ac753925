"""What a refusal and an unsure question say, who spoke, and what is copied; worked on answers made by hand."""

import recorded
from seen import says

from dashboard.answer_card import in_short, what_helps
from dashboard.readable import answer_markdown, answer_text
from dashboard.sources import marked_part
from dashboard.words import held_against, md
from rag.models import Cuts, Dropped, Filters, GateDecision, GeneratorInfo, NearMiss, Refusal

GATE = GateDecision(passed=False, estimator="calibrated", confidence=0.42, threshold=0.55, margin=-0.13, reason="Low.")
MISS = NearMiss(chunk_id="c", document="a.md", excerpt="Text.", similarity_score=0.31)


def refused(stage="gate", filters=None, cosines=(), **gate):
    """A refusal of a question with a similarity threshold of .4, which dropped passages of these cosines."""
    base = recorded.refused()
    query = base.query.model_copy(update={"filters": filters or Filters(), "similarity_threshold": 0.4})
    listed = [Dropped("x", "rank", 0.7), *(Dropped(f"d{cosine}", "threshold", cosine) for cosine in cosines)]
    update = {"query": query, "gate": GATE.model_copy(update=gate), "cuts": Cuts(threshold=3, listed=tuple(listed)),
              "refusal": Refusal(stage=stage, reason="Not found.", advice="Add a document.")}  # fmt: skip
    return base.model_copy(update=update)


def test_an_unsure_question_is_exported_with_the_sentences_that_come_closest():
    text = answer_markdown(recorded.unsure(misses=2, message="These come closest:"))
    says(text, "Unsure. These come closest:", "- “Gloves of kind 2 are worn.” (manual.pdf · page 2)")
    assert marked_part("It is cold.", "Gloves are worn.") == "It is cold."  # what is not in it marks nothing


def test_advice_is_given_where_no_passage_stands_above_it_and_what_kept_passages_out_is_named():
    assert what_helps(refused()) == what_helps(refused("grounding", nearest_misses=(MISS,))) == ["Add a document."]
    assert what_helps(refused(nearest_misses=(MISS,))) == what_helps(recorded.answered()) == []
    (narrowed,) = what_helps(refused(filters=Filters(source="a.md"), removed_by_filters=7))  # a button takes it off
    assert narrowed == "Perhaps one of the 7 passages that the filter (document a.md) left out would answer."
    dropped = {"removed_by_threshold": 3}
    said, _ = what_helps(refused(cosines=(0.2, 0.35, 0.1), **dropped))
    assert said.endswith(" dropped 3 passages; the nearest reaches 0.35.")
    assert what_helps(refused(cosines=(0.2,), **dropped))[0].endswith("3 passages.")  # two are not in the record
    (beside,) = what_helps(refused(nearest_misses=(MISS,), **dropped))
    assert beside == "Perhaps one of the 3 passages that the similarity threshold of 0.40 dropped would answer."


def test_who_spoke_and_how_sure_that_is_are_told_with_the_digits_that_tell_it_from_the_threshold():
    answer = recorded.answered()
    gate = answer.gate.model_copy(update={"passed": True, "margin": 0.5})
    one = answer.model_copy(update={"gate": gate, "citations": answer.citations[:1]})
    assert in_short(one) == f"Quoted word for word, 1 source, sure ({gate.confidence:.2f})"
    assert "sure" not in in_short(one.model_copy(update={"gate": gate.model_copy(update={"passed": False})}))
    away = GeneratorInfo(name="ollama", model="small", server="http://llm.example")
    said = in_short(one.model_copy(update={"generator": away, "confidence": 0.93}))
    says(said, f"Written by {md('small at http://llm.example')}, every sentence checked, ", "confidence 0.93, of the ")
    close = GATE.model_copy(update={"confidence": 0.4958, "threshold": 0.5, "margin": -0.0042})
    assert (held_against(close), held_against(GATE)) == (("0.4958", "0.5000"), ("0.42", "0.55"))  # not 0.50 and 0.50


def test_what_is_copied_is_plain_text_and_a_list_keeps_its_lines():
    answer = recorded.answered()
    (one, *_) = answer.sentences
    said = [one.model_copy(update={"text": text}) for text in ("You bring *two* | three:", "- gloves > nitrile.")]
    copied = answer_text(answer.model_copy(update={"sentences": tuple(said)}))
    assert "You bring *two* | three: [1]\n- gloves > nitrile. [1]" in copied
    assert "\\" not in copied
