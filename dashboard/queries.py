"""Read-only values for pages, cached; every input is an argument, and the cache is shared by everyone.

Arguments whose name begins with an underscore are not part of a cache key; what they hold is named by the others.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rag.errors import ConfigurationError
from rag.evaluation.agreement import that_count
from rag.evaluation.changed import Changed, changed
from rag.evaluation.compare import Comparison, compare_files
from rag.evaluation.datasets import Question, load_dataset
from rag.evaluation.held import held_answer, held_path, held_requests
from rag.evaluation.lines import EvaluationLine, read_lines
from rag.evaluation.runlist import is_there, run_files
from rag.evaluation.runs import Run, read_run, run_path
from rag.models import Answer, Chunk, Filters, Mode
from rag.protocols import SearchScope
from rag.recording.replay import RecordedRequest
from rag.recording.unanswered import Unanswered, unanswered
from rag.stored.values import Aspect, Label
from rag.whatif.cases import Cases, cases_of

if TYPE_CHECKING:
    from rag.candor import Candor


def is_empty(candor: "Candor") -> bool:
    """Return whether nothing is indexed; does not open the index."""
    return candor.wiring.catalogue.chunk_count() == 0


@st.cache_data(show_spinner=False, max_entries=4, ttl=30)
def _models(_candor: "Candor", settings: str) -> tuple[str, ...]:
    return _candor.wiring.generators.names()


def models(candor: "Candor") -> tuple[str, ...]:
    """Return the models that a question may name, as `ollama/llama3.2:3b`; servers are asked twice a minute at most."""
    chosen = candor.wiring.settings
    return _models(candor, f"{chosen.openai_base_url} {chosen.ollama_host} {chosen.gguf}")


def scope(candor: "Candor", filters: Filters) -> SearchScope:
    """Return the chunks that readers may see and that match."""
    return SearchScope(filters, candor.wiring.catalogue.hidden_versions())


@st.cache_data(show_spinner=False, max_entries=64)
def _values(_candor: "Candor", fingerprint: str, field: str, document: str | None, chapter: int | None) -> list[str]:
    where = scope(_candor, Filters(source=document, chapter=chapter))
    found = _candor.wiring.store.facets(field, where)
    return sorted((str(value) for value in found if value not in (None, "")), key=_natural)


def values(candor: "Candor", field: str, *, document: str | None = None, chapter: int | None = None) -> list[str]:
    """Return what a metadata field holds in the index, in reading order, narrowed where asked for."""
    return _values(candor, candor.wiring.catalogue.fingerprint(), field, document, chapter)


def _natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sort key by which `2.10` follows `2.9`."""
    import re

    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in re.findall(r"\d+|\D+", text))


@st.cache_data(show_spinner=False, max_entries=8)
def _chunks(_candor: "Candor", fingerprint: str, document: str, section: str | None) -> list[Chunk]:
    found = _candor.wiring.store.scroll(scope(_candor, Filters(source=document, section=section)))
    return sorted(found, key=lambda chunk: chunk.chunk_index)


def chunks(candor: "Candor", document: str, *, section: str | None = None) -> list[Chunk]:
    """Return the chunks of a document, or of one of its sections, in document order."""
    return _chunks(candor, candor.wiring.catalogue.fingerprint(), document, section)


@st.cache_data(show_spinner=False, max_entries=256)
def _holds(_candor: "Candor", fingerprint: str, document: str, excerpt: str) -> bool:
    wanted = " ".join(excerpt.split())
    return any(wanted in " ".join(one.content.split()) for one in chunks(_candor, document))


def holds(candor: "Candor", document: str, excerpt: str) -> bool:
    """Return whether a document holds an excerpt word for word, as it is indexed now; lines may be broken otherwise."""
    return _holds(candor, candor.wiring.catalogue.fingerprint(), document, excerpt)


def answer(candor: "Candor", request_id: str) -> Answer | None:
    """Return a recorded answer; None where none is kept."""
    return candor.wiring.recorder.read_answer(request_id)


# --- evaluation runs ---------------------------------------------------------------------------------------------


@st.cache_data(show_spinner=False, max_entries=8)
def _lines(path: str, changed_ns: int) -> list[EvaluationLine]:
    return read_lines(Path(path))


def run_lines(folder: Path, name: str) -> list[EvaluationLine]:
    """Return the lines of a run; none where there is no such run."""
    path = run_files(folder).get(name)
    return _lines(str(path), path.stat().st_mtime_ns) if path and is_there(path) else []


def run_answer(folder: Path, name: str, line: EvaluationLine) -> Answer | None:
    """Return the whole answer behind a line of a run; None where the run does not hold it."""
    path = run_files(folder).get(name)
    return _held_answer(str(path), _held_ns(path), line.qid, line) if path else None


def _held_ns(path: Path) -> int:
    """Return the moment of the last change of the whole answers of a run; 0 where there are none."""
    held = held_path(path)
    return held.stat().st_mtime_ns if is_there(held) else 0


@st.cache_data(show_spinner=False, max_entries=16)
def _held_answer(path: str, changed_ns: int, qid: str, _line: EvaluationLine) -> Answer | None:
    return held_answer(Path(path), _line)


def labels(folder: Path) -> dict[str, Question]:
    """Return the labelled questions of a data set by id; none where it cannot be read."""
    try:
        return _labels(str(folder), (folder / "questions.jsonl").stat().st_mtime_ns)
    except (ConfigurationError, OSError):
        return {}


@st.cache_data(show_spinner=False, max_entries=4)
def _labels(folder: str, changed_ns: int) -> dict[str, Question]:
    return {question.qid: question for question in load_dataset(Path(folder)).questions}


def runs(folder: Path) -> dict[str, Run]:
    """Return the finished runs by name, the latest first: those of a folder, and those noted in it."""
    return _runs(_run_files(folder))


def _run_files(folder: Path) -> tuple[tuple[str, str, int], ...]:
    """Return name, path of the lines and moment of the last change of every run that is there."""
    found = [(name, path, run_path(path)) for name, path in run_files(folder).items()]
    return tuple((name, str(path), beside.stat().st_mtime_ns) for name, path, beside in found if is_there(beside))


@st.cache_data(show_spinner=False, max_entries=8)
def _runs(files: tuple[tuple[str, str, int], ...]) -> dict[str, Run]:
    read = [(name, read_run(Path(path))) for name, path, _ in files]
    found = [(name, run) for name, run in read if run is not None and run.summary is not None]
    return dict(sorted(found, key=lambda pair: pair[1].started_at, reverse=True))


def comparison(folder: Path, before: str, after: str) -> Comparison:
    """Return two runs compared, question by question."""
    return _comparison(_run_files(folder), before, after)


@st.cache_data(show_spinner="Comparing …", max_entries=16)
def _comparison(files: tuple[tuple[str, str, int], ...], before: str, after: str) -> Comparison:
    paths = {name: Path(path) for name, path, _ in files}
    return compare_files(paths[before], paths[after])


def changed_questions(folder: Path, before: str, after: str) -> tuple[Changed, ...]:
    """Return the questions that ended differently in two runs."""
    return _changed(_run_files(folder), folder, before, after)


@st.cache_data(show_spinner=False, max_entries=16)
def _changed(files: tuple[tuple[str, str, int], ...], _folder: Path, before: str, after: str) -> tuple[Changed, ...]:
    found = _runs(files)
    return changed(found[before], found[after], run_lines(_folder, before), run_lines(_folder, after))


# --- questions to try settings on --------------------------------------------------------------------------------

MOST_RECORDED = 10_000
"""How many recorded requests Tune looks at, newest first."""


@st.cache_resource(show_spinner=False, max_entries=2)  # not copied for each page that looks: nobody changes a line
def _recorded(_candor: "Candor", folder: str, files: tuple[tuple[str, int], ...]) -> list[RecordedRequest]:
    return _newest(_candor)


def _newest(candor: "Candor") -> list[RecordedRequest]:
    return list(candor.wiring.recorder.requests(limit=MOST_RECORDED))


def recorded(candor: "Candor") -> list[RecordedRequest]:
    """Return the short forms of the newest recorded requests."""
    return _recorded(candor, *_request_files(candor))


def _request_files(candor: "Candor") -> tuple[str, tuple[tuple[str, int], ...]]:
    folder = candor.settings.data_dir / "requests"
    return str(folder), tuple((path.name, path.stat().st_size) for path in sorted(folder.glob("*.jsonl")))


@st.cache_resource(show_spinner=False, max_entries=2)
def _unanswered(_candor: "Candor", folder: str, files: tuple[tuple[str, int], ...]) -> list[Unanswered]:
    return unanswered(recorded(_candor), _candor.wiring.recorder.judgements())


def without_answer(candor: "Candor") -> list[Unanswered]:
    """Return the recorded questions that got no good answer, newest first."""
    folder, files = _request_files(candor)
    feedback = candor.settings.data_dir / "feedback.jsonl"
    return _unanswered(candor, folder, (*files, (feedback.name, feedback.stat().st_size if feedback.exists() else 0)))


def answerable_labels(labels: Sequence[Label]) -> dict[str, bool]:
    """Return whether each question can be answered, by target: what was settled, else what most labellers say.

    A tie that nobody settled is left out.
    """
    return _judged(labels, "answerable", {"yes": 1, "no": -1})


def right_labels(labels: Sequence[Label]) -> dict[str, bool]:
    """Return whether each answer is right, by target, judged in the same way; one that is partly right is left out."""
    return _judged(labels, "answer", {"correct": 1, "wrong": -1})


def _judged(labels: Sequence[Label], aspect: Aspect, weights: Mapping[str, int]) -> dict[str, bool]:
    votes: dict[str, int] = {}
    for label in that_count(labels):
        if label.aspect == aspect:
            votes[label.target] = votes.get(label.target, 0) + weights.get(label.verdict, 0)
    return {target: vote > 0 for target, vote in votes.items() if vote}


def recorded_cases(candor: "Candor") -> Cases:
    """Return the recorded requests as arrays, with the labels that people gave; those to a pasted text have none.

    What a pasted text answers says nothing of the index, so that calibration leaves it out, too.
    """
    labels = candor.wiring.sessions.labels.list()
    folder, files = _request_files(candor)
    told = (tuple(sorted(one.items())) for one in (answerable_labels(labels), right_labels(labels)))
    return _recorded_cases(candor, folder, files, *told)


@st.cache_data(show_spinner=False, max_entries=4)
def _recorded_cases(
    _candor: "Candor",
    folder: str,
    files: tuple[tuple[str, int], ...],
    answerable: tuple[tuple[str, bool], ...],
    right: tuple[tuple[str, bool], ...],
) -> Cases:
    # Not `_recorded`: keeping 10,000 lines beside their arrays takes longer than reading them.
    asked = _newest(_candor)
    pasted = {one.request_id for one in asked if one.mode == Mode.SELECTED_TEXT_ONLY}
    return cases_of(asked, {name: label for name, label in answerable if name not in pasted}, dict(right))


@st.cache_data(show_spinner=False, max_entries=4)
def _run_cases(path: str, changed_ns: int, held_changed_ns: int) -> Cases:
    lines, run = read_lines(Path(path)), read_run(Path(path))
    scores = run.scores if run is not None else ()
    return cases_of(
        held_requests(Path(path), lines),
        {line.qid: line.answerable for line in lines},
        {score.qid: score.got == "right" if score.got else score.contains_gold for score in scores if score.answered},
    )


def run_cases(folder: Path, name: str) -> Cases:
    """Return the questions of a run as arrays; none where there is no such run."""
    path = run_files(folder).get(name)
    if path is None or not is_there(path):
        return cases_of([])
    return _run_cases(str(path), path.stat().st_mtime_ns, _held_ns(path))
