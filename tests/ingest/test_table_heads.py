"""The heads of a table from the file to the answer: a row is quoted with them, and they are never quoted themselves."""

import re
from collections.abc import Mapping, Sequence

import pytest
from passages import hit
from rag.generate import extract

from rag.ground import ground
from rag.grounding.evidence import EvidenceCheck
from rag.ingest.chunking import chunk
from rag.ingest.loaders import load_bytes
from rag.models import Chunk, GroundedSentence, Query, RetrievedChunk
from rag.protocols import Span


class Words:
    """A tokenizer that takes every word and sign for a piece."""

    def spans(self, text: str) -> list[Span]:
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def html(heads: tuple[str, ...], *rows: tuple[str, ...]) -> tuple[str, str]:
    lines = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows]
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    return "a.html", f"<h1>Rules of the hall</h1><table><tr>{head}</tr>{''.join(lines)}</table>"


def markdown(heads: tuple[str, ...], *rows: tuple[str, ...]) -> tuple[str, str]:
    lines = [" | ".join(row) for row in rows]
    return "a.md", "\n".join(["# Rules of the hall", "", " | ".join(heads), " | ".join("---" for _ in heads), *lines])


def retrieved(one: Chunk) -> RetrievedChunk:
    scores = {"rank": 1, "similarity_score": 0.5, "cosine": 0.5}
    return hit(one.content).model_copy(update={**{name: getattr(one, name) for name in Chunk.model_fields}, **scores})


def frequencies(terms: Sequence[int]) -> Mapping[int, int]:
    return {}


def answered(question: str, name: str, text: str) -> tuple[GroundedSentence, ...]:
    hits = [retrieved(one) for one in chunk(load_bytes(name, text.encode()), pieces=Words())]
    draft = extract(Query(question=question), hits, document_frequency=frequencies, indexed=10)
    return ground(draft, hits, check=EvidenceCheck(), question=question).sentences


@pytest.mark.parametrize("write", [html, markdown])
@pytest.mark.parametrize(
    ("heads", "question"),
    [
        (("Chemical handled", "Glove material required"), "Which glove material is required for acetone?"),
        (("Chemical", "Glove for 8 hours"), "Which glove for 8 hours is there for acetone?"),
        (
            ("Name of the chemical that is handled", "Material of which the glove has to be made"),
            "Of which material has the glove to be made for acetone, the chemical that is handled?",
        ),
    ],
)
def test_the_row_is_quoted_with_its_heads_and_cited_by_itself(write, heads, question) -> None:  # type: ignore[no-untyped-def]
    name, text = write(heads, ("acetone", "butyl"), ("hexane", "nitrile"), ("phenol", "neoprene"))
    sentences = answered(question, name, text)
    assert f"{heads[0]}: acetone; {heads[1]}: butyl." in [one.text for one in sentences]
    assert all(f"{heads[0]}: {heads[1]}" not in one.text for one in sentences)
    assert [one.evidence for one in sentences if "butyl" in one.text] == [("| acetone | butyl |",)]
    assert all(one.supported for one in sentences)


@pytest.mark.parametrize("write", [html, markdown])
def test_the_rows_that_a_cut_parts_from_their_heads_are_quoted_too(write) -> None:  # type: ignore[no-untyped-def]
    rows = [(f"acid {number}", f"a glove of rubber {number} and a shield") for number in range(80)]
    name, text = write(("Chemical handled", "Glove material required"), *rows)
    found = chunk(load_bytes(name, text.encode()), pieces=Words())
    first = next(one for one in found if not one.heads)
    row = first.content.split("\n")[0]
    (number,) = re.findall(r"acid (\d+)", row)
    said = [one.text for one in answered(f"Which glove is required for acid {number}?", name, text)]
    assert any(f"acid {number}: a glove of rubber {number} and a shield" in one for one in said)


def test_a_table_without_marked_heads_keeps_its_first_row() -> None:
    table = (
        "<table><tr><td>Fume hood</td><td>checked monthly</td></tr><tr><td>Eye wash</td><td>weekly</td></tr></table>"
    )
    said = [one.text for one in answered("When is the fume hood checked?", "a.html", f"<h1>Rules</h1>{table}")]
    assert said == ["Fume hood: checked monthly."]


def test_a_chunk_of_an_older_index_has_no_marked_heads() -> None:
    one = chunk(load_bytes("a.txt", b"Wear gloves and goggles in every room of the hall."), pieces=Words())[0]
    stored = one.model_dump_json(exclude_defaults=True)
    assert "heads" not in stored
    assert Chunk.model_validate_json(stored).heads == ()
