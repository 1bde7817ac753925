"""A passage as it is read: its headings, lists and tables as Markdown, with what is cited marked."""

import recorded

from dashboard.readable import readable
from rag.models import BlockSpan


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
