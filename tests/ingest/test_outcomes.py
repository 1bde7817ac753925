"""What an ingest tells: how far it is, and what of a file could not be read."""

from indexes import Index

from rag.commands.present import NAMED, ingest_text
from rag.ingest.report import FileOutcome, IngestReport, Tracker

TEXT = "Die Größe des Geräts, das Maß der Röhre und der Prüfer stehen auf dem Schild. "


def test_the_note_of_a_file_is_in_its_outcome_and_in_what_candor_ingest_prints(index: Index) -> None:
    (index.files / "damaged.txt").write_bytes(TEXT.encode() * 2 + b"\xff")
    (index.files / "sound.txt").write_bytes(TEXT.encode() * 2)

    report = index.indexer.ingest([index.files])

    note = "1 place is not valid UTF-8, on line 1: U+FFFD stands there. Save the file as UTF-8 again."
    assert {file.document: file.notes for file in report.files} == {"damaged.txt": (note,), "sound.txt": ()}
    assert ingest_text(report).splitlines()[1:] == [f"  damaged.txt: {note}"]


def test_notes_stand_before_failures_and_more_than_a_screen_of_them_are_counted() -> None:
    files = [
        FileOutcome(document="b.pdf", outcome="failed", reason="it is encrypted"),
        *(FileOutcome(document=f"{number}.txt", outcome="added", notes=("A note.",)) for number in range(NAMED + 2)),
    ]
    shown = ingest_text(IngestReport(files=tuple(files))).splitlines()
    assert shown[1] == "  0.txt: A note."
    assert shown[NAMED:] == [f"  {NAMED - 1}.txt: A note.", "  and 2 more notes", "  b.pdf: it is encrypted"]


def test_the_page_is_told_whenever_it_is_another_and_not_again() -> None:
    told: list[str] = []
    tracker = Tracker({"scan.tiff": 10}, lambda progress: told.append(progress.current))
    tracker.reading("scan.tiff")
    for number in (1, 1, 2):
        tracker.page("scan.tiff", number, 40)
        tracker.reading("scan.tiff")
    assert told == ["reading scan.tiff", "reading scan.tiff, page 1 of 40", "reading scan.tiff, page 2 of 40"]
