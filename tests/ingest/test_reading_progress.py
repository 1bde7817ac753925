"""What is told while a file is waited for whose pages take seconds each."""

from rag.ingest.report import Tracker


def test_the_page_is_told_whenever_it_is_another_and_not_again() -> None:
    told: list[str] = []
    tracker = Tracker({"scan.tiff": 10}, lambda progress: told.append(progress.current))
    tracker.reading("scan.tiff")
    for number in (1, 1, 2):
        tracker.page("scan.tiff", number, 40)
        tracker.reading("scan.tiff")
    assert told == ["reading scan.tiff", "reading scan.tiff, page 1 of 40", "reading scan.tiff, page 2 of 40"]
