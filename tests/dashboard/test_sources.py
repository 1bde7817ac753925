"""Links to sources and the page that a passage is opened at; worked on answers made by hand."""

import re

import recorded

from dashboard.asking import so_far
from dashboard.sources import chip, cited_by, with_chips
from rag.cite import cite
from rag.models import AnswerSentence, GroundedSentence


def checked(text, *passages):
    """A sentence that rests on these parts of passages."""
    numbers, evidence = zip(*passages, strict=True)
    return GroundedSentence(text=text, supported=True, support=0.9, passages=numbers, evidence=evidence)


def test_the_links_of_sentences_that_are_being_written_have_the_numbers_of_the_finished_answer():
    # passage 3 is used first: it becomes source 1; passage 1 becomes 2; the same part again is source 1 again
    written = [
        checked("Gloves are worn.", (3, "Gloves are worn.")),
        checked("They are thick.", (1, "thick"), (3, "Gloves are worn.")),
        checked("Two parts of one passage.", (3, "Other part.")),
    ]
    told = re.findall(r"#source-req_1-(\d)", so_far(written, 0, "req_1"))
    assert told == ["1", "2", "1", "3"]
    contents = ("They are thick.", "", "Gloves are worn. Other part.")
    hits = [recorded.hit(rank, 0.5).model_copy(update={"content": text}) for rank, text in enumerate(contents, 1)]
    shown, _ = cite(written, hits)
    assert [str(index + 1) for sentence in shown for index in sentence.citations] == told


def test_a_sentence_carries_a_link_for_each_source_and_its_title_means_nothing_in_markdown():
    answer = recorded.answered()
    citation = answer.citations[0].model_copy(update={"document": 'a "b" <c>.md', "page": None, "section": None})
    cited = cited_by(answer.model_copy(update={"citations": (citation,)}))
    assert f'"Open source 1: a b c.md: “{citation.excerpt[:20]}' in chip(cited, 1)
    assert chip(cited, 1).count('"') == 2
    sentence = AnswerSentence(text="Gloves *are* worn.", support=0.9, citations=(0,))
    assert with_chips(sentence, cited) == f"Gloves \\*are\\* worn. {chip(cited, 1)}"


def test_a_row_quoted_without_its_heads_has_dots_between_its_cells():
    row = AnswerSentence(text="Class C: toxic substances | Double gloves.", support=1.0, citations=())
    assert with_chips(row, cited_by(recorded.answered())) == "Class C: toxic substances · Double gloves. "
