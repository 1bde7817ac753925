import sys
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from recorded import answered, refused

from rag.commands.present import answer_text, documents_text, ingest_text, keys_text
from rag.ingest.report import FileOutcome, IngestReport
from rag.models import DocumentRecord, GroundedSentence, Grounding, NearMiss
from rag.workspace.values import ApiKey

NOON = datetime(2026, 1, 21, 12, tzinfo=UTC)


def test_an_answer_has_markers_sources_notes_warnings_what_was_left_out_and_who_spoke():
    false = GroundedSentence(
        text="Hats are worn.", supported=False, support=0.0, reason="no passage says it", evidence=("gloves are worn.",)
    )
    whole = answered()
    gate = whole.gate.model_copy(update={"warnings": ("Drifted.",)})
    dropped = Grounding(is_valid=False, sentences=(false,))
    noted = whole.model_copy(update={"notes": ("From chapter 2.",), "gate": gate, "grounding": dropped})
    assert answer_text(noted).splitlines() == [
        "Gloves are worn. [1]",
        "",
        "Note: From chapter 2.",
        "",
        "Sources",
        "[1] manual.pdf, page 1  (similarity 0.90)",
        "    “gloves are worn.”",
        "",
        "1 sentence left out by the check (--verbose shows them, and why)",
        "Warning: Drifted.",
        "",
        "confidence 0.70 (threshold 0.50, mean_similarity) · extractive · 10 ms · req_20260121_000000000001",
    ]
    told = "“Hats are worn.”: no passage says it. Nearest: “gloves are worn.”"
    assert told in answer_text(noted, verbose=True)


@pytest.mark.parametrize(("columns", "longest"), [("60", 60), ("20", 40), ("500", 100)])
def test_text_is_broken_at_the_width_of_a_terminal_within_limits(columns, longest, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: True))
    lines = answer_text(refused().model_copy(update={"message": "word " * 60})).splitlines()[:-1]
    assert longest - 5 < max(map(len, lines)) <= longest


def test_a_refusal_has_its_message_and_the_closest_passages_and_figures_only_where_they_are_asked_for():
    near = NearMiss(
        chunk_id="c", document="manual.pdf", page=3, similarity_score=0.31, excerpt="| 7 | 112 |", reading=0.04,
        stated="Door: 7; Call: 112",
    )  # fmt: skip
    whole = refused()
    row = whole.model_copy(update={"gate": whole.gate.model_copy(update={"nearest_misses": (near,)})})
    told = "I don't know.\n\nThe closest passages:\n  manual.pdf, page 3\n      Door: 7; Call: 112\n\n"
    assert answer_text(row) == f"{told}{row.request_id} (--verbose shows the figures)"
    verbose = answer_text(row, verbose=True)
    assert "  manual.pdf, page 3  (similarity 0.31, answers with 4%)\n" in verbose
    assert verbose.splitlines()[-1].startswith("confidence 0.30 (threshold 0.50, mean_similarity) · ")


def test_documents_and_keys_are_tables_and_an_empty_index_says_what_to_do():
    sizes = {"pages": None, "chunks": 7, "size_bytes": 1, "characters": 1}
    record = DocumentRecord(document="manual.pdf", hash="0", media_type="x", ingested_at=NOON, **sizes)
    key = ApiKey(key_id="0123456789ab", name="\x1b[31mred", role="ask", created_at=NOON)
    assert documents_text([record]).splitlines() == [
        "document    pages  chunks  ingested (UTC)",
        "manual.pdf      -       7  2026-01-21 12:00",
    ]
    assert "candor ingest" in documents_text([])
    assert keys_text([key]).endswith(r"active   \x1b[31mred")


def ingested(*files, **more):
    return ingest_text(IngestReport(files=files, **more)).splitlines()


def test_an_ingest_counts_outcomes_and_names_failures_and_the_first_that_were_removed_or_replaced():
    files = (
        FileOutcome(document="a.md", outcome="added", chunks=3),
        *(FileOutcome(document=name, outcome="failed", reason="no text") for name in ("b.pdf", "\x1b[31mÖ 5\n.md")),
        FileOutcome(document="c.md", outcome="replaced", chunks=1, reason="it replaces another"),
        FileOutcome(document="d.md", outcome="removed", reason="its file is gone"),
        FileOutcome(document="e.md", outcome="unchanged"),
    )
    assert ingested(*files, seconds=1.25, chunks=4) == [
        "1 added, 1 replaced, 1 unchanged, 1 removed, 2 failed; 4 chunks in 1.2 s",
        "  removed d.md: its file is gone",
        "  replaced c.md: it replaces another",
        "  b.pdf: no text",
        r"  \x1b[31mÖ 5\n.md: no text",  # no name can colour a terminal
    ]
    assert ingested() == ["no files found"]
    many = ingested(*(FileOutcome(document=f"{number}.md", outcome="replaced") for number in range(25)))
    assert (len(many), many[-1]) == (22, "  and 5 more replaced")
