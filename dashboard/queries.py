"""Read-only values for pages, cached; every input is an argument, and the cache is shared by everyone.

A Candor and a file count in a cache key by what they hold; arguments that begin with an underscore do not count.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import streamlit as st

from dashboard import resources
from rag.candor import Candor
from rag.errors import ConfigurationError
from rag.evaluation.agreement import verdict_of_most
from rag.evaluation.changed import Changed, changed
from rag.evaluation.compare import Comparison, compare_files
from rag.evaluation.datasets import Question, load_dataset
from rag.evaluation.lines import EvaluationLine, read_lines
from rag.evaluation.runlist import is_there, run_files, runs_in
from rag.evaluation.runs import Run, held_answer, held_path, held_requests, read_run, run_path
from rag.models import Answer, Chunk, Filters, Mode
from rag.protocols import SearchScope
from rag.records.requests import RecordedRequest
from rag.records.unanswered import Unanswered, unanswered
from rag.whatif.cases import Cases, cases_of

_HashFuncs = dict[str | type[Any], Callable[[Any], Any]]
BY_INDEX: Final[_HashFuncs] = {Candor: lambda candor: candor.wiring.catalogue.fingerprint()}
BY_FILE: Final[_HashFuncs] = {type(Path()): lambda path: (str(path), path.stat().st_mtime_ns if is_there(path) else 0)}


def _request_files(candor: Candor) -> tuple[tuple[str, int], ...]:
    """Return what tells when a short line or some feedback was added."""
    folder = candor.settings.data_dir
    files = [*sorted(folder.glob("requests/*.jsonl")), *folder.glob("feedback.jsonl")]
    return tuple((str(path), path.stat().st_size) for path in files)


def is_empty(candor: Candor) -> bool:
    """Return whether nothing is indexed; does not open the index."""
    return candor.wiring.catalogue.chunk_count() == 0


@st.cache_data(
    show_spinner=False, max_entries=4, ttl=30, hash_funcs={Candor: lambda one: one.settings.model_dump_json()}
)
def models(candor: Candor) -> tuple[str, ...]:
    """Return the models that a question may name, as `ollama/llama3.2:3b`; servers are asked twice a minute at most."""
    return candor.wiring.generators.names()


def scope(candor: Candor, filters: Filters) -> SearchScope:
    """Return the chunks that readers may see and that match."""
    return SearchScope(filters, candor.wiring.catalogue.hidden_versions())


@st.cache_data(show_spinner=False, max_entries=64, hash_funcs=BY_INDEX)
def values(candor: Candor, field: str, *, documents: tuple[str, ...] = (), chapter: int | None = None) -> list[str]:
    """Return what a metadata field holds in the index, narrowed where asked for: `2.9` before `2.10`."""

    def place(text: str) -> list[tuple[int, int | str]]:
        return [(0, int(part)) if part.isdigit() else (1, part) for part in re.findall(r"\d+|\D+", text)]

    found = candor.wiring.store.facets(field, scope(candor, Filters(sources=documents or None, chapter=chapter)))
    return sorted((str(value) for value in found if value not in (None, "")), key=place)


@st.cache_data(show_spinner=False, max_entries=8, hash_funcs=BY_INDEX)
def chunks(candor: Candor, document: str) -> list[Chunk]:
    """Return the chunks of a document in document order."""
    return sorted(candor.wiring.store.scroll(scope(candor, Filters(source=document))), key=lambda one: one.chunk_index)


@st.cache_data(show_spinner=False, max_entries=256, hash_funcs=BY_INDEX)
def holds(candor: Candor, document: str, excerpt: str) -> bool:
    """Return whether a document holds an excerpt word for word, as it is indexed now; lines may be broken otherwise."""
    wanted = " ".join(excerpt.split())
    return any(wanted in " ".join(one.content.split()) for one in chunks(candor, document))


@st.cache_data(show_spinner=False, max_entries=8, hash_funcs=BY_FILE)
def _lines(path: Path) -> list[EvaluationLine]:
    return read_lines(path) if is_there(path) else []


def _path(run: str) -> Path:
    """Return the file of a run; where there is no such run, one that is not there."""
    folder = resources.runs_folder()
    return run_files(folder).get(run, folder / "none")


def run_lines(run: str) -> list[EvaluationLine]:
    """Return the lines of a run; none where there is no such run."""
    return _lines(_path(run))


def run_line(run: str, qid: str) -> EvaluationLine | None:
    """Return a question of a run, as it ended there; None where either is not there any more."""
    return next((line for line in run_lines(run) if line.qid == qid), None)


def run_answer(run: str, line: EvaluationLine) -> Answer | None:
    """Return the whole answer behind a line of a run; None where the run does not hold it."""
    path = _path(run)
    return _held_answer(held_path(path), path, line.qid, line)


@st.cache_data(show_spinner=False, max_entries=16, hash_funcs=BY_FILE)
def _held_answer(held: Path, _path: Path, qid: str, _line: EvaluationLine) -> Answer | None:
    return held_answer(_path, _line)


@st.cache_data(show_spinner=False, max_entries=4, hash_funcs=BY_FILE)
def labels(file: Path) -> dict[str, Question]:
    """Return the labelled questions of a data set by id, by its `questions.jsonl`; none where it cannot be read."""
    with suppress(ConfigurationError, OSError):
        return {question.qid: question for question in load_dataset(file.parent).questions}
    return {}


def _run_files(folder: Path) -> tuple[tuple[str, str, int], ...]:
    found = [(name, path, run_path(path)) for name, path in run_files(folder).items()]
    return tuple((name, str(path), beside.stat().st_mtime_ns) for name, path, beside in found if is_there(beside))


BY_RUNS: Final[_HashFuncs] = {type(Path()): _run_files}


def runs() -> dict[str, Run]:
    """Return the finished runs by name, the latest first: those of the data folder, and those noted in it."""
    return _runs(resources.runs_folder())


@st.cache_data(show_spinner=False, max_entries=8, hash_funcs=BY_RUNS)
def _runs(folder: Path) -> dict[str, Run]:
    names = {path: name for name, path in run_files(folder).items()}
    return {names[path]: run for path, run in runs_in(folder)}


@st.cache_data(show_spinner="Comparing …", max_entries=16, hash_funcs=BY_RUNS)
def comparison(folder: Path, before: str, after: str) -> Comparison:
    """Return two runs compared, question by question."""
    paths = run_files(folder)
    return compare_files(paths[before], paths[after])


@st.cache_data(show_spinner=False, max_entries=16, hash_funcs=BY_RUNS)
def changed_questions(folder: Path, before: str, after: str) -> tuple[Changed, ...]:
    """Return the questions that ended differently in two runs."""
    found = _runs(folder)
    return changed(found[before], found[after], run_lines(before), run_lines(after))


def _newest(candor: Candor) -> list[RecordedRequest]:
    return list(candor.wiring.recorder.requests(limit=10_000))


# Resources are not copied for each page that looks: nobody changes a line.
@st.cache_resource(show_spinner=False, max_entries=2, hash_funcs={Candor: _request_files})
def recorded(candor: Candor) -> list[RecordedRequest]:
    """Return the short forms of the newest recorded requests."""
    return _newest(candor)


@st.cache_resource(show_spinner=False, max_entries=2, hash_funcs={Candor: _request_files})
def without_answer(candor: Candor) -> list[Unanswered]:
    """Return the recorded questions that got no good answer, newest first."""
    return unanswered(recorded(candor), candor.wiring.recorder.judgements())


def recorded_cases(candor: Candor) -> Cases:
    """Return the recorded requests as arrays, with the labels that people gave; those to a pasted text have none."""
    labels = candor.wiring.sessions.labels.list()
    return _recorded_cases(candor, verdict_of_most(labels, "answerable"), verdict_of_most(labels, "answer"))


@st.cache_data(show_spinner=False, max_entries=4, hash_funcs={Candor: _request_files})
def _recorded_cases(candor: Candor, answerable: Mapping[str, bool], right: Mapping[str, bool]) -> Cases:
    # Not `recorded`: keeping 10,000 lines beside their arrays takes longer than reading them.
    asked = _newest(candor)
    pasted = {one.request_id for one in asked if one.mode == Mode.SELECTED_TEXT_ONLY}
    return cases_of(asked, {name: label for name, label in answerable.items() if name not in pasted}, right)


def run_cases(run: str) -> Cases:
    """Return the questions of a run as arrays; none where there is no such run."""
    path = _path(run)
    return _run_cases(path, held_path(path)) if is_there(path) else cases_of([])


@st.cache_data(show_spinner=False, max_entries=4, hash_funcs=BY_FILE)
def _run_cases(path: Path, held: Path) -> Cases:
    lines, run = read_lines(path), read_run(path)
    return cases_of(held_requests(path, lines), {line.qid: line.answerable for line in lines},
                    {score.qid: score.got == "right" if score.got else score.contains_gold
                     for score in (run.scores if run is not None else ()) if score.answered})  # fmt: skip
