import re
import sys
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from recorded import answered, refused, unsure

from rag.commands.present import (
    answer_text,
    calibration_text,
    documents_text,
    health_text,
    ingest_text,
    keys_text,
)
from rag.confidence.calibrated import GateFit
from rag.evaluation.calibration import counted
from rag.evaluation.fitting import Fitted
from rag.evaluation.intervals import bounded_rate
from rag.evaluation.risk import threshold_for
from rag.ingest.report import FileOutcome, IngestReport
from rag.models import DocumentRecord, GroundedSentence, Grounding, Health, NearMiss, ServiceStatus
from rag.stored.values import ApiKey

NOON = datetime(2026, 1, 21, 12, tzinfo=UTC)


def test_an_answer_has_markers_sources_and_who_spoke():
    lines = answer_text(answered()).splitlines()

    assert lines[0] == "Gloves are worn. [1]"
    assert "Sources" in lines
    assert "[1] manual.pdf, page 1  (similarity 0.90)" in lines
    assert "    “gloves are worn.”" in lines
    assert lines[-1] == (
        "confidence 0.70 (threshold 0.50, mean_similarity) · extractive · 10 ms · req_20260121_000000000001"
    )


@pytest.mark.parametrize(
    ("columns", "is_terminal", "longest"), [("60", True, 60), ("20", True, 40), ("500", True, 100), ("60", False, 100)]
)
def test_text_is_broken_at_the_width_of_a_terminal_within_limits(columns, is_terminal, longest, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: is_terminal))
    words = refused().model_copy(update={"message": "word " * 60})
    lines = answer_text(words).splitlines()[:-1]

    assert longest - 5 < max(map(len, lines)) <= longest


def test_the_name_of_a_key_cannot_colour_a_terminal():
    key = ApiKey(key_id="0123456789ab", name="\x1b[31mred", role="ask", created_at=NOON)

    assert keys_text([key]).endswith(r"active   \x1b[31mred")


def test_notes_and_warnings_are_shown():
    whole = answered()
    noted = whole.model_copy(
        update={"notes": ("From chapter 2.",), "gate": whole.gate.model_copy(update={"warnings": ("Drifted.",)})}
    )

    assert "Note: From chapter 2." in answer_text(noted)
    assert "Warning: Drifted." in answer_text(noted)


def test_a_refusal_has_its_message_and_the_closest_passages():
    whole = refused()
    miss = NearMiss(chunk_id="c", document="manual.pdf", page=3, similarity_score=0.31, excerpt="Gloves " * 25)
    shown = answer_text(whole.model_copy(update={"gate": whole.gate.model_copy(update={"nearest_misses": (miss,)})}))

    assert shown.startswith("I don't know.\n\nThe closest passages:\n  manual.pdf, page 3\n")
    assert " ".join(shown.split()).count("Gloves") == 25
    assert all(len(line) <= 100 for line in shown.splitlines())


def test_where_there_is_no_answer_figures_are_shown_only_where_they_are_asked_for():
    whole = refused()
    miss = NearMiss(chunk_id="c", document="a.md", similarity_score=0.31, excerpt="Gloves.", reading=0.04)
    whole = whole.model_copy(update={"gate": whole.gate.model_copy(update={"nearest_misses": (miss,)})})
    shown, verbose = answer_text(whole), answer_text(whole, verbose=True)

    assert not re.search(r"0\.\d|%| ms", shown)
    assert shown.endswith(f"\n\n{whole.request_id} (--verbose shows the figures)")
    assert "  a.md  (similarity 0.31, answers with 4%)\n" in verbose
    assert verbose.splitlines()[-1].startswith("confidence 0.30 (threshold 0.50, mean_similarity) · ")


def test_unsure_shows_the_passages_with_the_sentence_marked_and_claims_nothing():
    shown = answer_text(unsure())

    assert shown.startswith("The documents may answer this.\n\nThese passages may answer:\n  manual.pdf, page 1\n")
    assert "      It is cold. »Gloves of kind 1 are worn.« Boots are not.\n  manual.pdf, page 2\n" in shown
    assert "Sources" not in shown
    assert "(threshold 0.50, unsure from 0.20, mean_similarity)" in answer_text(unsure(), verbose=True)


def test_a_row_that_came_close_is_told_with_the_heads_of_its_columns():
    whole = refused()
    miss = NearMiss(
        chunk_id="c",
        document="manual.pdf",
        page=3,
        similarity_score=0.31,
        excerpt="| 7 | 112 |",
        stated="Door: 7; Call: 112",
    )
    shown = answer_text(whole.model_copy(update={"gate": whole.gate.model_copy(update={"nearest_misses": (miss,)})}))

    assert "      Door: 7; Call: 112\n" in shown + "\n"
    assert "|" not in shown


def test_documents_are_a_table_and_an_empty_index_says_what_to_do():
    record = DocumentRecord(
        document="manual.pdf",
        pages=None,
        chunks=7,
        hash="0",
        size_bytes=1,
        media_type="x",
        characters=1,
        ingested_at=NOON,
    )

    assert documents_text([record]).splitlines() == [
        "document    pages  chunks  ingested (UTC)",
        "manual.pdf      -       7  2026-01-21 12:00",
    ]
    assert "candor ingest" in documents_text([])


def test_an_ingest_counts_outcomes_and_names_failures():
    files = (
        FileOutcome(document="a.md", outcome="added", chunks=3),
        FileOutcome(document="b.pdf", outcome="failed", reason="it is encrypted"),
    )
    shown = ingest_text(IngestReport(files=files, seconds=1.25, chunks=3))

    assert shown.splitlines() == ["1 added, 1 failed; 3 chunks in 1.2 s", "  b.pdf: it is encrypted"]
    assert ingest_text(IngestReport(files=(), seconds=0.0, chunks=0)) == "no files found"


def test_a_name_with_control_characters_is_written_out_and_others_stay():
    files = [
        FileOutcome(document=name, outcome="failed", reason="it has no text.")
        for name in ("two\nlines.md", "\x1b[31mred.md", "Größe 5.md")
    ]
    lines = ingest_text(IngestReport(files=tuple(files))).splitlines()

    assert lines[1:] == [
        "  two\\nlines.md: it has no text.",
        "  \\x1b[31mred.md: it has no text.",
        "  Größe 5.md: it has no text.",
    ]


def test_an_ingest_names_what_was_removed_and_what_was_replaced():
    files = (
        FileOutcome(document="a.md", outcome="replaced", chunks=3),
        FileOutcome(document="b.md", outcome="replaced", chunks=1, reason="it replaces another"),
        FileOutcome(document="c.md", outcome="removed", reason="its file is gone"),
        FileOutcome(document="d.md", outcome="unchanged"),
    )
    assert ingest_text(IngestReport(files=files, seconds=1.25, chunks=4)).splitlines() == [
        "2 replaced, 1 unchanged, 1 removed; 4 chunks in 1.2 s",
        "  removed c.md: its file is gone",
        "  replaced a.md",
        "  replaced b.md: it replaces another",
    ]


def test_an_ingest_that_replaces_very_many_names_twenty_and_counts_the_rest():
    files = tuple(FileOutcome(document=f"{number}.md", outcome="replaced") for number in range(25))
    lines = ingest_text(IngestReport(files=files)).splitlines()

    assert (len(lines), lines[-1]) == (22, "  and 5 more replaced")


def test_health_lists_every_service_and_how_many_lines_were_lost():
    services = {
        "qdrant": ServiceStatus(state="connected", latency_ms=1.4, detail="12 chunks"),
        "llm": ServiceStatus(state="disconnected", detail="refused"),
    }

    health = Health(status="degraded", services=services, response_time_ms=1, lost_lines=2)
    assert health_text(health).splitlines() == [
        "degraded",
        "  qdrant     connected 1 ms  12 chunks",
        "  llm        disconnected  refused",
        "  2 lines of the log and of answers could not be kept",
    ]


def fitted(tmp_path, **changes):
    """A fit as `candor calibrate` returns it."""
    values = {
        "fit": GateFit(
            signals=("best",), means=(0.0,), scales=(1.0,), weights=(1.0,), intercept=0.0, threshold=0.8,
            unsure_threshold=0.25, max_false_answer_rate=0.05, max_refused_rate=0.1,
        ),
        "control": threshold_for([0.1, 0.2], target=0.05),
        "auroc": {},
        "counted": {},
        "deciding": bounded_rate(1, 30),
        "refused": bounded_rate(1, 10),
        "path": tmp_path / "gate.json",
        "in_force": False,
        "gate": "the gate that came with Candor",
        "shared_documents": None,
        "notes": ("NOT put in force.",),
        "next_steps": ("Label 57 more.",),
    }  # fmt: skip
    return Fitted(**{**values, **changes})


def test_a_calibration_shows_a_dash_for_what_nothing_is_known_of_and_ends_with_what_decides_now(tmp_path):
    found = fitted(
        tmp_path,
        auroc={"one": None, "two": 0.875},
        counted={
            "one": counted([], [0.9] * 5 + [0.1] * 15, threshold=0.8, unsure_threshold=0.25),
            "two": counted([0.9] * 5 + [0.5] * 4 + [0.1], [0.5] * 5 + [0.1] * 5, threshold=0.8, unsure_threshold=0.25),
        },
    )

    # Wilson at 5 of 20: (.25 + 1.9207/20 -+ 1.96 sqrt(.1875/20 + .9604/400)) / (1 + 3.8415/20) = .1119, .4687
    assert calibration_text(found).splitlines()[-9:] == [
        "  one: AUROC -, coverage -, false answers 5 of 20, 25.0% (11.2% to 46.9%), answerable refused -, "
        "unanswerable unsure 0 of 20, 0.0% (0.0% to 16.1%)",
        "  two: AUROC 0.875, coverage 5 of 10, 50.0% (23.7% to 76.3%), false answers 0 of 10, 0.0% (0.0% to 27.8%), "
        "answerable refused 1 of 10, 10.0% (1.8% to 40.4%), unanswerable unsure 5 of 10, 50.0% (23.7% to 76.3%)",
        "(counts, shares and their 95% Wilson intervals; the thresholds were chosen on these labels)",
        "(out of fold: by fits that saw no question on the same document; the gate itself is fitted on all)",
        "",
        "Nothing is proven: of the unanswerable questions that decide it the threshold answers "
        "1 of 30, 3.3% (0.6% to 16.7%), at most the 5.0% asked for, but on these very labels only.",
        "",
        "NOT put in force.",
        "Label 57 more.",
    ]


def test_a_calibration_tells_both_thresholds_with_their_bounds(tmp_path):
    first, second, *_ = calibration_text(fitted(tmp_path)).splitlines()

    assert first.startswith("threshold 0.8000: answered from there on. Too few labels")
    # of Beta(2, 9) 95% lie below .3942
    assert second == (
        "unsure_threshold 0.2500: refused below it, of the answerable questions 1 of 10, 10.0% (1.8% to 40.4%), at "
        "most 39.42% with 95% confidence; asked for were at most 10.0%."
    )


def test_a_calibration_whose_threshold_cannot_keep_the_rate_says_so(tmp_path):
    found = fitted(tmp_path, control=threshold_for([1.0, 1.0], target=0.05), deciding=bounded_rate(2, 30), notes=())

    text = calibration_text(found)
    assert "answers 2 of 30, 6.7% (1.8% to 21.3%), more than the 5.0% asked for" in text
    assert "at most the" not in text


def test_what_was_left_out_is_counted_and_shown_where_it_is_asked_for():
    false = GroundedSentence(
        text="Hats are worn.", supported=False, support=0.0, reason="no passage says it", evidence=("gloves are worn.",)
    )
    whole = answered().model_copy(update={"grounding": Grounding(is_valid=False, sentences=(false,))})

    assert "\n\n1 sentence left out by the check (--verbose shows them, and why)\n" in answer_text(whole)
    assert "“Hats are worn.”: no passage says it. Nearest: “gloves are worn.”" in answer_text(whole, verbose=True)
