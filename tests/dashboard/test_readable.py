"""A passage as it is read, as Markdown with what is cited marked, and the links to sources; on answers made by hand."""

import re

import recorded

from dashboard.asking import so_far
from dashboard.readable import readable
from dashboard.sources import chip, cited_by, with_chips
from rag.cite import cite
from rag.models import AnswerSentence, BlockSpan, GroundedSentence


def chunk(*parts, columns=()):
    """A passage of these blocks, each a kind and its text."""
    content, blocks = "", []
    for kind, text in parts:
        blocks.append({"kind": kind, "start": len(content), "end": len(content) + len(text)})
        content += f"{text}\n"
    if columns:
        blocks = [{**one, "table": 0} if one["kind"] == "row" else one for one in blocks]
    spans = tuple(BlockSpan.model_validate(one) for one in blocks)
    return recorded.answered().retrieved[0].model_copy(
        update={"content": content, "blocks": spans, "columns": columns}
    )  # fmt: skip


def test_a_table_is_drawn_as_one_with_its_heads_and_the_cited_row_is_marked_cell_by_cell():
    found = chunk(("paragraph", "Numbers:"), ("heads", "| Whom | Number |"), ("row", "| Fire | 112 |"))
    assert readable(found, "| Fire | 112 |").splitlines() == [
        "Numbers:",
        "",
        "| Whom | Number |",
        "| --- | --- |",
        "| :orange-background[Fire] | :orange-background[112] |",
    ]


def test_a_table_that_begins_in_the_passage_before_keeps_its_heads():
    found = chunk(("row", "| Fire | 112 |"), columns=(("Whom", "Number"),))
    assert readable(found).splitlines() == ["| Whom | Number |", "| --- | --- |", "| Fire | 112 |"]
    assert readable(chunk(("row", "| Fire | 112 |"))).splitlines()[0] == "|   |   |"


def test_a_heading_a_list_and_the_part_that_is_cited_are_told_apart():
    found = chunk(("heading", "Hands"), ("item", "• Gloves are worn."), ("paragraph", "One. Two. Three."))
    assert readable(found, "Two.").split("\n\n") == [
        "**Hands**", "- Gloves are worn.", "One. :orange-background[Two.] Three."
    ]  # fmt: skip
    assert ":orange" not in readable(found, "Four.")


def test_what_a_document_says_draws_no_image_and_no_link():
    assert "![" not in readable(chunk(("paragraph", "![x](http://a.example/b)"), ("row", "| [a](http://b) | c |")))


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
    row = AnswerSentence(text="Class C: toxic substances | Double gloves.", support=1.0, citations=())
    assert with_chips(row, cited) == "Class C: toxic substances · Double gloves. "  # quoted without its heads
