"""The heads of a table from the file to the answer: a row is quoted with them, and they are never quoted themselves."""

import re

import pytest
from passages import hit

from rag.ingest.chunking import chunk
from rag.ingest.loaders import load_bytes
from rag.models import Chunk, RetrievedChunk
from rag.protocols import Span
from rag.quote import Quotation, quote


class Words:
    """A tokenizer that takes every word and sign for a piece."""

    def spans(self, text: str) -> list[Span]:
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def chunks_of(kind: str, heads: tuple[str, ...], *rows: tuple[str, ...]) -> list[Chunk]:
    """The chunks of a file, HTML or Markdown, that holds one table."""
    if kind == "a.md":
        table = "\n".join(" | ".join(row) for row in (heads, ["---"] * len(heads), *rows))
        text = f"# Rules of the hall\n\n{table}"
    else:
        cells = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows]
        marked = "".join(f"<th>{cell}</th>" for cell in heads)
        text = f"<h1>Rules of the hall</h1><table><tr>{marked}</tr>{''.join(cells)}</table>"
    return chunk(load_bytes(kind, text.encode()), pieces=Words())


def retrieved(one: Chunk) -> RetrievedChunk:
    scores = {"rank": 1, "similarity_score": 0.5, "cosine": 0.5}
    return hit(one.content).model_copy(update={**{name: getattr(one, name) for name in Chunk.model_fields}, **scores})


def quoted_of(chunks: list[Chunk], *marked: str) -> Quotation:
    """What is quoted of chunks where the reader marks the sentences that hold one of some texts."""
    hits = []
    for one in map(retrieved, chunks):
        marks = tuple(float(any(each in sentence for each in marked)) for sentence in one.sentence_texts)
        readings = tuple(0.9 if any(marks) else None for _ in one.windows)
        hits.append(one.model_copy(update={"marks": marks, "window_readings": readings}))
    return quote(hits)


@pytest.mark.parametrize("kind", ["a.html", "a.md"])
@pytest.mark.parametrize("heads", [("Chemical handled", "Glove material required"), ("Chemical", "Glove for 8 hours")])
def test_the_row_is_quoted_with_its_heads_and_cited_by_itself(kind, heads):
    chunks = chunks_of(kind, heads, ("acetone", "butyl"), ("hexane", "nitrile"), ("phenol", "neoprene"))
    [sentence] = quoted_of(chunks, "acetone", heads[0]).grounding.sentences
    assert sentence.text == f"{heads[0]}: acetone; {heads[1]}: butyl."
    assert sentence.evidence == ("| acetone | butyl |",)
    assert sentence.supported


def test_a_row_that_a_cut_parts_from_its_heads_is_quoted_and_a_note_names_them():
    rows = [(f"acid {number}", f"a glove of rubber {number} and a shield") for number in range(80)]
    chunks = chunks_of("a.md", ("Chemical handled", "Glove material required"), *rows)
    row = chunks[-1].content.split("\n")[0]
    quotation = quoted_of(chunks, row)
    [sentence] = quotation.grounding.sentences
    assert len(chunks) > 1
    assert sentence.text == f"{row.strip('| ').replace(' | ', ': ')}."
    assert sentence.evidence == (row,)
    assert any("Chemical handled | Glove material required" in note for note in quotation.notes)


def test_a_chunk_of_an_older_index_is_read_without_its_blocks():
    one = chunk(load_bytes("a.txt", b"Wear gloves and goggles in every room of the hall."), pieces=Words())[0]
    stored = {**one.model_dump(mode="json", exclude={"blocks", "columns"}), "heads": [3]}
    assert Chunk.model_validate(stored) == one.model_copy(update={"blocks": ()})
