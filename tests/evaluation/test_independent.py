import pytest

from rag.evaluation.independent import not_verbatim, unsupported_sentences, why_unsupported
from rag.models import AnswerSentence

from .made import chunk, line

PASSAGE = (
    "After contact with the acid, rinse the skin for 15 minutes under the emergency shower. "
    "Dr. Maria Lindqvist of the Uppsala laboratory keeps three spare bottles; at most 1,500 ml are stored."
)


@pytest.mark.parametrize(
    ("sentence", "quoted", "reason"),
    [
        ("Rinse the skin for fifteen minutes [1].", True, ""),
        ("At most 1500 ml are stored.", True, ""),
        ("Lindqvist's laboratory stores spare bottles.", True, ""),
        ("Rinsing skin under emergency showers.", True, ""),
        ("rinse skin minutes bananas monkeys", True, ""),  # exactly sixty percent of the content words are enough
        ("rinse skin bananas monkeys", True, "2 of its 4"),
        ("Rinse the skin for 1.5 minutes.", True, "number 1.5"),
        ("Rinse the skin for seven minutes.", True, "number seven"),
        ("Dr. Karl Lindqvist keeps bottles.", True, "name Karl"),
        ("Wash it off for 900 seconds.", False, ""),  # a model's paraphrase: few words, another unit
        ("Up to 1.5 litres may be there.", False, ""),
        ("Wash it off for 901 seconds.", False, "number 901"),
        ("Wash it off in Stockholm.", False, "name Stockholm"),
    ],
)
def test_a_quotation_shares_most_words_and_a_paraphrase_its_numbers_and_names(sentence, quoted, reason):
    found = why_unsupported(sentence, PASSAGE, quoted=quoted)
    assert reason in found
    assert bool(found) is bool(reason)


def test_a_sentence_that_cites_nothing_is_unsupported_and_evidence_is_the_whole_chunk():
    shown = line(retrieved=[chunk(content="x" * 250 + " Wear gloves.")])  # beyond the excerpt
    uncited = AnswerSentence(text="Wear gloves.", supported=True, support=1.0)
    bare = shown.model_copy(update={"sentences": (uncited, uncited.model_copy(update={"citations": (7,)}))})
    assert [finding.reason for finding in unsupported_sentences(bare)] == ["it cites nothing", "it cites nothing"]
    assert unsupported_sentences(shown) == []
    assert why_unsupported("The laboratory keeps bottles.", "The labora-\ntory keeps bottles.") == ""


def test_excerpts_are_compared_character_for_character_after_white_space():
    shown = line(retrieved=[chunk(content="Wear  gloves.\nAlways.")])
    assert not_verbatim(shown, {"manual.md": "# Rules\nWear gloves. Always. Yes."}.get) == []
    assert "does not stand" in not_verbatim(shown, {"manual.md": "wear gloves. always."}.get)[0].reason
    assert "not in the data set" in not_verbatim(shown, {}.get)[0].reason
