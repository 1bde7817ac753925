"""What the chunker promises: nothing lost, nothing over a limit, offsets exact, no heading crossed."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag.adapters.packaged_model import packaged_model
from rag.adapters.word_pieces import PieceTokenizer
from rag.errors import ConfigurationError
from rag.ingest.chunking import HEAD_PIECES, chunk
from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.source import Source
from rag.ingest.stretches import CONTEXT_PIECES, context_of
from rag.models import Chunk, Document, DocumentMetadata, PageSpan, Section
from rag.reader.windows import embedded_text, read_text, windows_of

PIECES = PieceTokenizer(packaged_model() / "tokenizer.json")
SENTENCE = "The fume hood on floor three is inspected by the safety officer every second Monday. "


def document(text: str, **fields: object) -> Document:
    values = {"name": "manual.txt", "hash": "ab" * 32, "size_bytes": len(text), "media_type": "text/plain"}
    return Document(text=text, **values, **fields)


def built(*parts: str | Block) -> Document:
    """A document of blocks and paragraphs; one that is written with strokes is a table."""
    blocks = [Block("paragraph", part.strip()) if isinstance(part, str) else part for part in parts]
    return build(Source("manual.txt", b"x"), blocks, metadata=DocumentMetadata())


def left_out(source: Document, chunks: list[Chunk]) -> list[str]:
    """The lines of text between chunks, without white space."""
    bounds = [0, *(bound for found in chunks for bound in (found.start, found.end)), len(source.text)]
    gaps = (source.text[a:b] for a, b in zip(bounds[::2], bounds[1::2], strict=True))
    return [line.strip() for gap in gaps for line in gap.splitlines() if line.strip()]


def assert_sound(source: Document, chunks: list[Chunk], max_pieces: int = 256) -> None:
    """What holds for every chunk of every document."""
    assert [found.chunk_index for found in chunks] == list(range(len(chunks)))
    assert all(a.end <= b.start for a, b in pairwise(chunks))
    for found in chunks:
        assert found.content == source.text[found.start : found.end] == found.content.strip()
        assert len(PIECES.spans(f"{found.context}\n{found.content}")) + 2 == found.pieces <= max_pieces
        assert len(found.content) <= 2000
        assert len(found.content) >= 50 or len(chunks) == 1
        assert "".join("".join(found.sentence_texts).split()) == "".join(found.content.split())
        assert all(a < b <= c < d for (a, b), (c, d) in pairwise(found.sentences))
        # Each window is a run of whole sentences, and each sentence is in one.
        inside = [[span for span in found.sentences if a <= span[0] and span[1] <= b] for a, b in found.windows]
        assert [span for spans in inside for span in spans] == list(found.sentences)
        assert [(spans[0][0], spans[-1][1]) for spans in inside] == list(found.windows)


def sections(*parts: tuple[str, str]) -> Document:
    """A document of headings and the text under each."""
    return built(*(block for title, body in parts for block in (Block("heading", title, level=1), body)))


clean = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="#")  # as loaders leave it
words = st.text(clean, min_size=1, max_size=30)
long_words = st.builds(lambda letter, n: letter * n, st.sampled_from("aZ7é漢🙂/"), st.integers(80, 3000))
separators = st.sampled_from([" ", " ", " ", ". ", ".\n", "\n\n", ", ", "\n- ", "\n| ", ":\n"])
paragraphs = st.lists(st.tuples(words | long_words | st.just(SENTENCE), separators), max_size=60).map(
    lambda parts: "".join(word + separator for word, separator in parts)
)
names = st.sampled_from(["Fumes", "Working with hoods", "Spills and what to do about them"])
texts = st.lists(st.tuples(names, paragraphs), max_size=12)


@settings(deadline=None, max_examples=150)
@given(texts=texts, max_pieces=st.just(256) | st.integers(128, 256))
@example(texts=[("Fumes", ""), ("Hoods", "No."), ("Gloves", "Yes.")], max_pieces=256)
@example(texts=[("", text) for text in ("a" * 5000, "🙂" * 3000, "漢字" * 3000, SENTENCE * 40)], max_pieces=256)
def test_nothing_is_lost_and_nothing_is_over_a_limit_also_for_models_that_read_less(texts, max_pieces):
    source = sections(("Manual", "Short."), *texts)
    limits = {"max_pieces": max_pieces, "target_pieces": 176 if max_pieces == 256 else 80}
    chunks = chunk(source, pieces=PIECES, **limits)
    assert_sound(source, chunks, max_pieces)
    assert {*left_out(source, chunks)} <= {"Manual", *(heading.strip() for heading, _ in texts)}
    assert chunk(source, pieces=PIECES, **limits) == chunks


@given(lengths=st.lists(st.integers(1, 80), min_size=1, max_size=40))
def test_windows_are_as_many_as_sixties_of_words_and_as_long_as_whole_sentences_let_them_be(lengths):
    content, spans = "", []
    for length in lengths:
        spans.append((len(content), len(content) + 2 * length - 1))
        content += " ".join("w" * length) + "\n"
    found = windows_of(content, spans)
    share = sum(lengths) / max(1, round(sum(lengths) / 60))
    assert len(found) <= max(1, round(sum(lengths) / 60))
    assert all(len(content[a:b].split()) <= share + max(lengths) for a, b in found)
    if max(lengths) <= 20:
        assert len(found) == max(1, round(sum(lengths) / 60))


def test_a_list_stays_together_with_the_line_that_announces_it_where_lengths_allow_it():
    items = [Block("item", f"{n}. {SENTENCE.strip()}") for n in range(1, 6)]
    whole = built(SENTENCE * 5, "In case of fire:", *items, SENTENCE * 5)
    found = next(one for one in chunk(whole, pieces=PIECES) if "In case of fire:" in one.content)
    places = [(block.number, block.count) for block in found.blocks if block.kind == "item"]
    assert places == [(n, 5) for n in range(1, 6)]


def test_a_chunk_that_begins_within_a_list_knows_the_line_that_announces_it_and_has_it_in_its_context():
    items = [Block("item", f"{n}. {SENTENCE.strip()}") for n in range(1, 40)]
    for lead in (Block("paragraph", "It burns. In case of fire never do this:"), Block("heading", "Never", level=2)):
        chunks = chunk(built(SENTENCE, lead, *items), pieces=PIECES)
        assert_sound(built(SENTENCE, lead, *items), chunks)
        said = lead.text.removeprefix("It burns. ")
        later = [found for found in chunks if found.content[0].isdigit() and not found.content.startswith("1. ")]
        assert len(later) > 1
        assert {(found.list_lead, found.context.splitlines()[-1]) for found in later} == {(said, said)}
        assert all(found.context.count(said) == 1 for found in later)
        assert {found.list_lead for found in chunks if found not in later} == {""}


def test_the_heading_right_above_a_list_stays_with_its_items():
    listed = built(SENTENCE * 2, Block("heading", "Never bring", level=2), *[Block("item", f"- {SENTENCE}")] * 3)
    assert [found.content.splitlines()[0] for found in chunk(listed, pieces=PIECES)][1:] == ["Never bring"]
    within = chunk(listed, pieces=PIECES)[1]
    assert embedded_text(within, within.windows[0]).count("Never bring") == 1  # the context has it
    assert read_text(within, within.windows[0])[0].text.startswith("- ")
    told = built(
        SENTENCE * 2, Block("heading", "Never bring", level=2), SENTENCE, *[Block("item", f"- {SENTENCE}")] * 3
    )
    assert all("Never bring" not in found.content for found in chunk(told, pieces=PIECES))


def test_a_chunk_that_begins_within_a_table_has_the_column_heads_in_its_context_as_far_as_there_is_room():
    row = "| substance number {0} of the long list of solvents | {0} ppm | the safety officer |\n"
    table = "| Substance | Limit | Measured by |\n|---|---|---|\n" + "".join(map(row.format, range(60)))
    source = built(SENTENCE * 3, table, SENTENCE * 3)
    chunks = chunk(source, pieces=PIECES)
    assert_sound(source, chunks)
    within = [found for found in chunks if found.content.startswith("| substance")]
    assert len(within) > 3
    assert {found.columns for found in within} == {(("Substance", "Limit", "Measured by"),)}
    headed = [found for found in chunks if found.context.splitlines()[-1] == "| Substance | Limit | Measured by |"]
    assert headed == within == [found for found in chunks if "Measured by" in found.context]
    wide = " | ".join(f"measured quantity {number} in parts" for number in range(30))
    rows = "".join(f"| {' | '.join(str(number * 30 + cell) for cell in range(30))} |\n" for number in range(30))
    chunks = chunk(built(f"| {wide} |\n{rows}"), pieces=PIECES)
    later = [found.context.splitlines()[-1] for found in chunks[3:]]
    assert all(heads.startswith("| measured quantity 0 in parts |") for heads in later)
    assert all(len(PIECES.spans(heads)) <= HEAD_PIECES for heads in later)


def test_a_long_sentence_is_cut_after_a_comma_a_short_document_is_one_chunk_and_a_blank_one_none():
    text = ", ".join(f"the valve number {n} in the long corridor of the east wing" for n in range(60)) + "."
    chunks = chunk(document(text), pieces=PIECES)
    assert len(chunks) > 1
    assert all(found.content.endswith((",", ".")) for found in chunks)
    [only] = chunk(document("  Gloves are blue.\n"), pieces=PIECES)
    assert (only.content, only.start, only.end, only.sentences) == ("Gloves are blue.", 2, 18, ((0, 16),))
    assert chunk(document(" \n\n\t"), pieces=PIECES) == []


def test_a_heading_is_carried_by_the_context_and_stays_in_a_text_that_is_too_short_without_it():
    titled = built(Block("heading", "Fumes", level=1), Block("heading", "2.2 Hoods", level=2), SENTENCE)
    [only] = chunk(titled, pieces=PIECES)
    assert (only.content, only.context) == (SENTENCE.strip(), "Fumes; manual\nChapter 2 > 2.2 Hoods")
    assert only.section_path == ("Fumes", "2.2 Hoods")
    first, _ = chunk(sections(("2.2 Hoods", SENTENCE), ("2.3 Gates", SENTENCE)), pieces=PIECES)
    assert first.context == "manual\nChapter 2 > 2.2 Hoods"
    short = ("1.1 The telephone of the officer", "Call 112 at any hour.")
    first, _ = chunk(sections(short, ("1.2 Hoods", SENTENCE)), pieces=PIECES)
    assert first.content == "\n\n".join(short)


bodies = st.sampled_from(["", "Soup.", "The gate closes at 21:15.", SENTENCE, SENTENCE * 12])


@settings(deadline=None, max_examples=100)
@given(chapters=st.lists(st.lists(bodies, min_size=1, max_size=4), min_size=1, max_size=5))
def test_no_chunk_crosses_a_chapter_and_every_character_has_its_section(chapters):
    numbered = [(n, m, body) for n, texts in enumerate(chapters, 1) for m, body in enumerate(texts, 1)]
    source = sections(*((f"{n}.{m} Part", body) for n, m, body in numbered))
    chunks = chunk(source, pieces=PIECES)
    for found in chunks:
        held = [one for one in source.sections if one.start < found.end and one.end > found.start]
        assert {one.chapter for one in held} == {found.chapter}
        starts = [(max(one.start - found.start, 0), one.section_number) for one in held]
        assert [(one.offset, one.section_number) for one in found.section_starts] == (starts if len(held) > 1 else [])
        same = [one for one in source.sections if one.chapter == found.chapter]
        chapter_text = source.text[same[0].start : same[-1].end].strip()
        assert 50 <= len(found.content) <= 2000 or found.content == chapter_text
    assert all(line.endswith(" Part") for line in left_out(source, chunks))


def test_every_page_that_begins_within_a_chunk_is_known_by_its_place():
    """Pages begin at 0, 60, 60 (an empty one) and 130; the chunk begins at the first, so that one is no page start."""
    text = ("A" * 29 + " " + "b" * 28 + ". ") + ("C" * 34 + " " + "d" * 33 + ". ") + "The last page says little."
    bounds = [(3, 0, 60), (4, 60, 60), (5, 60, 130), (6, 130, len(text))]
    pages = tuple(PageSpan(number=number, start=start, end=end) for number, start, end in bounds)
    [only] = chunk(document(text, pages=pages), pieces=PIECES)
    assert (only.page, only.last_page) == (3, 6)
    assert only.page_starts == ((4, 60), (5, 60), (6, 130))
    assert only.content[130:] == "The last page says little."


def test_a_context_keeps_within_its_budget_and_limits_out_of_range_are_refused():
    path = (*(f"A heading of level {n} with many words in it" for n in range(12)), "Nearest")
    section = Section(start=0, end=9, path=path)
    title = DocumentMetadata(title="Manual " * 100, identifiers=("Form 10-Q",))
    context = context_of(document("x", metadata=title), section, pieces=PIECES)
    assert len(PIECES.spans(context)) <= CONTEXT_PIECES
    assert context.endswith("Nearest")
    with pytest.raises(ConfigurationError, match="300 of at most 256"):
        chunk(document(SENTENCE), pieces=PIECES, target_pieces=300)


def test_a_chunk_of_an_older_index_is_read_without_its_blocks():
    [one] = chunk(built(SENTENCE), pieces=PIECES)
    stored = {**one.model_dump(mode="json", exclude={"blocks", "columns"}), "heads": [3]}
    assert Chunk.model_validate(stored) == one.model_copy(update={"blocks": ()})
