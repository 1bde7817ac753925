import re
import sys
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from recorded import refused

from rag.commands.present import answer_text, calibration_text, documents_text, health_text, ingest_text, keys_text
from rag.confidence.calibrated import GateFit
from rag.evaluation.calibration import counted
from rag.evaluation.fitting import Fitted
from rag.evaluation.intervals import bounded_rate
from rag.evaluation.risk import threshold_for
from rag.ingest.report import FileOutcome, IngestReport
from rag.models import DocumentRecord, GroundedSentence, Grounding, Health, NearMiss, ServiceStatus
from rag.stored.values import ApiKey

NOON = datetime(2026, 1, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("columns", "is_terminal", "longest"), [("60", True, 60), ("20", True, 40), ("500", True, 100), ("60", False, 100)]
)
def test_text_is_broken_at_the_width_of_a_terminal_within_limits(columns, is_terminal, longest, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: is_terminal))
    words = refused().model_copy(update={"message": "word " * 60})
    lines = answer_text(words).splitlines()[:-1]

    assert longest - 5 < max(map(len, lines)) <= longest


def test_a_refusal_has_its_message_and_the_closest_passages_and_figures_only_where_they_are_asked_for():
    whole = refused()
    far = NearMiss(chunk_id="c", document="manual.pdf", page=3, similarity_score=0.31, excerpt="Gloves " * 25)
    row = NearMiss(chunk_id="d", document="a.md", similarity_score=0.31, excerpt="| 7 | 112 |", reading=0.04,
                   stated="Door: 7; Call: 112")  # fmt: skip
    whole = whole.model_copy(update={"gate": whole.gate.model_copy(update={"nearest_misses": (far, row)})})
    shown, verbose = answer_text(whole), answer_text(whole, verbose=True)

    assert shown.startswith("I don't know.\n\nThe closest passages:\n  manual.pdf, page 3\n")
    assert " ".join(shown.split()).count("Gloves") == 25
    assert all(len(line) <= 100 for line in shown.splitlines())
    assert "      Door: 7; Call: 112\n" in shown  # a row with the heads of its columns
    assert not re.search(r"0\.\d|%| ms|\|", shown)
    assert shown.endswith(f"\n\n{whole.request_id} (--verbose shows the figures)")
    assert "  a.md  (similarity 0.31, answers with 4%)\n" in verbose
    assert verbose.splitlines()[-1].startswith("confidence 0.30 (threshold 0.50, mean_similarity) · ")


def test_documents_are_a_table_and_an_empty_index_says_what_to_do():
    record = DocumentRecord(document="manual.pdf", pages=None, chunks=7, hash="0", size_bytes=1, media_type="x",
                            characters=1, ingested_at=NOON)  # fmt: skip

    assert documents_text([record]).splitlines() == [
        "document    pages  chunks  ingested (UTC)",
        "manual.pdf      -       7  2026-01-21 12:00",
    ]
    assert "candor ingest" in documents_text([])


def test_a_name_with_control_characters_is_written_out_and_others_stay():
    names = ("two\nlines.md", "\x1b[31mred.md", "Größe 5.md")
    files = tuple(FileOutcome(document=name, outcome="failed", reason="it has no text.") for name in names)
    key = ApiKey(key_id="0123456789ab", name="\x1b[31mred", role="ask", created_at=NOON)

    assert ingest_text(IngestReport(files=files)).splitlines()[1:] == [
        "  two\\nlines.md: it has no text.",
        "  \\x1b[31mred.md: it has no text.",
        "  Größe 5.md: it has no text.",
    ]
    assert keys_text([key]).endswith(r"active   \x1b[31mred")


def test_an_ingest_counts_outcomes_and_names_what_failed_or_was_removed_or_replaced():
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
    assert ingest_text(IngestReport(files=(), seconds=0.0, chunks=0)) == "no files found"


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


def test_a_calibration_tells_both_thresholds_with_their_bounds_and_what_is_not_known(tmp_path):
    fit = GateFit(
        signals=("best",), means=(0.0,), scales=(1.0,), weights=(1.0,), intercept=0.0, threshold=0.8,
        unsure_threshold=0.25, max_false_answer_rate=0.05, max_refused_rate=0.1,
    )  # fmt: skip
    one = counted([], [0.9] * 5 + [0.1] * 15, threshold=0.8, unsure_threshold=0.25)
    found = Fitted(
        fit=fit, control=threshold_for([0.1, 0.2], target=0.05), auroc={"one": None}, counted={"one": one},
        deciding=bounded_rate(1, 30), refused=bounded_rate(1, 10), path=tmp_path / "gate.json", in_force=False,
        gate="the gate that came with Candor", shared_documents=None, notes=("NOT put in force.",),
        next_steps=("Label 57 more.",),
    )  # fmt: skip
    first, second, *others = calibration_text(found).splitlines()

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
