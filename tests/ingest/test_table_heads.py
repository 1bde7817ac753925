"""The heads of a table from the file to the answer: a row is quoted with them, and they are never quoted themselves."""

import re

import pytest
from passages import hit

from rag.ingest.chunking import chunk
from rag.ingest.loaders import load_bytes
from rag.models import Chunk
from rag.protocols import Span
from rag.quote import quote

HEADS = ("Chemical", "Glove for 8 hours")
ROWS = (("acetone", "butyl"), ("hexane", "nitrile"), ("phenol", "neoprene"))
FILES = {
    "a.md": "\n".join(" | ".join(row) for row in (HEADS, ("---", "---"), *ROWS)),
    "a.html": "<table><tr><th>{}</th><th>{}</th></tr>".format(*HEADS)
    + "".join(map("<tr><td>{0[0]}</td><td>{0[1]}</td></tr>".format, ROWS)),
}


class Words:
    """A tokenizer that takes every word and sign for a piece."""

    def spans(self, text: str) -> list[Span]:
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


@pytest.mark.parametrize("name", FILES)
def test_the_row_is_quoted_with_its_heads_and_cited_by_itself(name):
    [one] = chunk(load_bytes(name, FILES[name].encode()), pieces=Words())
    marks = tuple(float("acetone" in sentence or HEADS[0] in sentence) for sentence in one.sentence_texts)
    known = {field: getattr(one, field) for field in Chunk.model_fields}
    read = hit(one.content).model_copy(update={**known, "marks": marks, "window_readings": (0.9,) * len(one.windows)})
    [sentence] = quote([read]).grounding.sentences
    assert sentence.text == f"{HEADS[0]}: acetone; {HEADS[1]}: butyl."
    assert (sentence.evidence, sentence.supported) == (("| acetone | butyl |",), True)


def test_a_chunk_of_an_older_index_is_read_without_its_blocks():
    one = chunk(load_bytes("a.txt", b"Wear gloves and goggles in every room of the hall."), pieces=Words())[0]
    stored = {**one.model_dump(mode="json", exclude={"blocks", "columns"}), "heads": [3]}
    assert Chunk.model_validate(stored) == one.model_copy(update={"blocks": ()})
