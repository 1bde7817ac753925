"""How far a command is, where nobody draws a bar."""

from rag.commands import printing as progress
from rag.ingest.report import Progress


def test_where_standard_error_is_no_terminal_a_line_now_and_then_says_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.counter("question") as show:
        show(1, 3)
        show(3, 3)

    assert capsys.readouterr().err == "question 1 of 3\nquestion 3 of 3\n"


def test_an_ingest_too_says_now_and_then_how_far_it_is_where_no_bar_is_drawn(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.bar() as show:
        show(Progress(files_done=1, files_total=3, chunks_done=20, current="a.md", rate=2.0, seconds_left=75.0))

    assert capsys.readouterr().err == "1 of 3 files, 20 chunks, 1 min 15 s left: a.md\n"


def test_a_short_run_and_one_whose_output_a_program_reads_say_nothing(monkeypatch, capsys):
    with progress.counter("question") as show:
        show(1, 3)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.counter("question", quiet=True) as show:
        show(1, 3)

    assert capsys.readouterr().err == ""
