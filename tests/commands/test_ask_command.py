"""The command `candor ask`: what it prints, its options, the text it is given."""

import io
import shutil
import sys

import pytest
from command_line import SURE, clear
from library import candor, quiet_settings
from questions import GLOVES

from rag import Candor
from rag.commands.printing import watching
from rag.events import Token, Waiting


def test_ask_prints_an_answer_with_its_sources_or_as_one_object_and_the_documents_a_line_each(inside, home):
    ran = inside("ask", GLOVES, *SURE, data_dir=home)
    as_json = candor("ask", GLOVES, *SURE, "--top-k", "5", "--json", data_dir=home)
    answer = as_json.json
    assert (ran.code, ran.err) == (0, "")
    assert "laminate gloves are required" in " ".join(ran.out.split())
    assert "[1] safety_manual.pdf, page 10" in ran.out
    assert (as_json.code, as_json.out.count("\n"), as_json.err) == (0, 1, "")
    assert (answer["outcome"], answer["message"], len(answer["retrieved"])) == ("answered", None, 20)
    assert answer["citations"][0]["page"] == 10
    first, *lines = inside("ask", "Which documents do you have?", data_dir=home).out.splitlines()
    assert first == f"I have {len(lines)} documents:"
    assert "- Laboratory Safety Manual (safety_manual.pdf)" in lines


@pytest.mark.parametrize(
    ("question", "options", "outcome", "code"),
    [
        ("What is the capital of Mongolia?", (), "refused", "NO_RELEVANT_CONTENT"),
        (GLOVES, ("--confidence-threshold", "1", "--unsure-threshold", "0"), "unsure", "NO_RELEVANT_CONTENT"),
        ("Hello there!", (), "talk", None),
    ],
)
def test_what_is_no_answer_is_told_in_words_and_no_failure(inside, home, question, options, outcome, code):
    ran = inside("ask", question, *options, "--json", data_dir=home)
    shown = inside("ask", question, *options, data_dir=home)
    assert (ran.code, ran.json["outcome"], ran.json["answer"]) == (0, outcome, None)
    assert (ran.json["refusal"] or {}).get("code") == code
    assert (shown.code, shown.err) == (0, "")
    assert " ".join(shown.out.split()).startswith(" ".join(ran.json["message"].split()))
    assert ("passages" in shown.out) is (outcome != "talk")  # of a greeting, the sentence and nothing else
    assert "Sources" not in shown.out
    assert "confidence " not in shown.out


def test_options_reach_the_query_and_a_filter_value_that_is_not_indexed_is_told_those_there_are(inside, home):
    filters = {"source": "textbook.md", "chapter": 2, "section": "2.2", "module": "EARTH-110"}
    options = {
        "top_k": 7, "similarity_threshold": 0.01, "confidence_threshold": 0.02, "unsure_threshold": 0.01,
        "estimator": "mean_similarity", "max_tokens": 50, "temperature": 0.5, "seed": 11,
    }  # fmt: skip
    pairs = (filters | options).items()
    given = [part for name, value in pairs for part in (f"--{name.replace('_', '-')}", str(value))]
    ran = inside("ask", "What is measured?", *given, "--no-llm", "--json", data_dir=home)
    query = ran.json["query"]
    assert {name: query[name] for name in (*options, "no_llm")} == {**options, "no_llm": True}
    assert query["filters"] == {**filters, "page": None, "collection": None, "sources": None}
    assert {hit["section"].split()[0] for hit in ran.json["retrieved"]} == {"2.2"}
    for option, value, there in (
        ("chapter", "77", "Indexed chapters: 1, 2, 3, 4, 5, 6, 7"),
        ("source", "safety_manul.pdf", "Indexed documents, the nearest names first: safety_manual.pdf, "),
        ("page", "999", "its pages are 1 to "),
    ):
        ran = inside("ask", GLOVES, f"--{option}", value, "--json", data_dir=home)
        assert (ran.code, ran.json["details"]["field"], clear(ran)) == (1, f"filters.{option}", True)
        assert there in ran.json["message"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_text_file_alone_may_answer_in_any_encoding_with_nothing_indexed(inside, tmp_path, encoding):
    (tmp_path / "selected.txt").write_bytes("Firn is old snow, in Zürich too.".encode(encoding))
    ran = inside("ask", "What is firn?", "--context-file", "selected.txt", *SURE, "--json")
    assert (ran.code, "Zürich" in ran.json["retrieved"][0]["content"]) == (0, True)
    assert ran.json["query"]["mode"] == "selected-text-only"
    assert not (tmp_path / "data" / "index").exists()


def test_a_text_that_cannot_be_asked_is_refused_with_what_to_do(inside, samples, tmp_path):
    (tmp_path / "words.txt").write_text("Firn is old snow.", encoding="utf-8")
    (tmp_path / "bytes.txt").write_bytes(bytes(range(256)) * 20)
    shutil.copy(samples / "safety_manual.pdf", tmp_path)
    for options, details, told in (
        (("--context-file", "words.txt", "--mode", "book-wide"), {"field": "mode"}, "Leave out --mode"),
        (("--mode", "chapter-aware"), {"field": "filters.chapter"}, "Add --chapter NUMBER."),
        (("--context-file", "safety_manual.pdf"), {}, "is not a text file"),
        (("--context-file", "bytes.txt"), {}, "is not a text file: its content is not text but binary data"),
        (("--context-file", "/dev/zero"), {"field": "context", "maximum": 200_000}, "'/dev/zero' is too long"),
    ):
        ran = inside("ask", "What is firn?", *options, "--json")
        assert (ran.code, ran.json["details"]) == (1, details)
        assert told in ran.json["message"]


def test_a_selected_text_is_answered_from_in_any_locale_while_another_process_holds_the_index(home, tmp_path):
    locked, text = shutil.copytree(home, tmp_path / "data"), tmp_path / "selected.txt"
    text.write_text("Firn is old snow. The gloves of Utopia – 氷河 – are knitted from glass wool.", encoding="utf-8")
    asked = "What are the gloves of Utopia – 氷河 – knitted from?"
    options = ("--mode", "selected-text-only", "--context-file", str(text), *SURE, "--json")
    with Candor.open(quiet_settings(locked)) as holder:
        holder.wiring.store.check()
        ran = candor("ask", asked, *options, data_dir=locked, LC_ALL="C", PYTHONIOENCODING="utf-8")
    assert ran.code == 0, ran.err
    assert (ran.json["query"]["question"], "glass wool" in ran.json["answer"]) == (asked, True)


def test_promoted_settings_hold_for_ask_and_the_answer_says_so_and_an_older_index_is_warned_of(inside, home, tmp_path):
    mine = shutil.copytree(home, tmp_path / "data")
    with Candor.open(quiet_settings(mine)) as opened:
        chosen = {"confidence_threshold": 1.0, "chosen_for": "max_similarity/2"}
        promoted = {**chosen, "top_k": 3, "estimator": "max_similarity"}
        opened.wiring.sessions.promotions.promote(promoted, note="very strict")
        opened.wiring.catalogue.set_meta("ingestion", "older")
    after = inside("ask", GLOVES, "--json", data_dir=mine).json
    shown = inside("ask", GLOVES, data_dir=mine)
    own = inside("ask", GLOVES, "--json", "--top-k", "4", *SURE, data_dir=mine).json
    assert (after["answer"], after["gate"]["threshold"], after["gate"]["estimator"]) == (None, 1.0, "max_similarity")
    assert after["query"]["top_k"] == 3
    note = "Promotion 1 is in force: confidence_threshold 1.0, top_k 3, estimator max_similarity."
    assert (after["notes"], f"Note: {note}" in shown.out) == ([note], True)
    assert (shown.code, shown.err.count("\n"), "`candor ingest --rebuild`" in shown.err) == (0, 1, True)
    assert (own["query"]["top_k"], own["gate"]["threshold"]) == (4, 0.0)


def test_while_a_model_is_loaded_and_reads_a_terminal_shows_how_far_it_is(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    with watching(quiet=True) as watch:
        watch(Waiting(0.5))
    assert screen.getvalue() == ""
    with watching() as watch:
        for event in (Waiting(), Waiting(0.3, is_loading=True), Waiting(0.7), Token("Nitrile")):
            watch(event)
    drawn = screen.getvalue().replace("█", "#")
    told = ("The model is being loaded |###", "The model is reading |#######", "The model is writing |#####")
    assert [one for one in told if one not in drawn] == []
